package tracer

import (
	"context"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/tracer/attr"
)

// The bucket boundaries of the GenAI conventions, in seconds, and finer ones in front for stages.
var (
	callBuckets  = []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
	stageBuckets = append([]float64{0.001, 0.0025, 0.005}, callBuckets...)
)

// instruments are the histograms, all in seconds. Session and number never stand on them.
type instruments struct {
	inference, firstChunk, embeddings, question, stage, phase metric.Float64Histogram
}

func newInstruments(p metric.MeterProvider) *instruments {
	m := p.Meter(ScopeName, metric.WithInstrumentationVersion(scopeVersion))
	histogram := func(name, description string, buckets []float64) metric.Float64Histogram {
		h, err := m.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(description),
			metric.WithExplicitBucketBoundaries(buckets...))
		if err != nil {
			otel.Handle(err)
		}
		return h
	}
	return &instruments{
		inference:  histogram(attr.MetricInferenceDuration, "Duration of a call to a generating model.", callBuckets),
		firstChunk: histogram(attr.MetricTimeToFirstChunk, "Time from the request to the first chunk of a streamed answer.", callBuckets),
		embeddings: histogram(attr.MetricEmbeddingsDuration, "Duration of a call to an embedding model.", callBuckets),
		question:   histogram(attr.MetricQuestionDuration, "Time from Enter to the last byte of the answer.", callBuckets),
		stage:      histogram(attr.MetricStageDuration, "Duration of a stage of a question.", stageBuckets),
		phase:      histogram(attr.MetricPhaseDuration, "Duration of a phase inside the model server.", stageBuckets),
	}
}

// globalInstruments belong to the global meter provider, and start to record when one is set.
var globalInstruments = sync.OnceValue(func() *instruments { return newInstruments(otel.GetMeterProvider()) })

// record builds no attributes when nobody collects.
func record(ctx context.Context, h metric.Float64Histogram, d time.Duration, attrs ...attribute.KeyValue) {
	if h.Enabled(ctx) {
		h.Record(ctx, d.Seconds(), metric.WithAttributes(attrs...))
	}
}

func measureStage(ctx context.Context, c *config, stage stages.Stage, d time.Duration, f failure) {
	h := c.metrics.stage
	if stage == "" || !h.Enabled(ctx) {
		return
	}
	attrs := []attribute.KeyValue{attr.Stage.String(string(stage))}
	if f.kind != "" {
		attrs = append(attrs, semconv.ErrorTypeKey.String(f.kind))
	}
	record(ctx, h, d, attrs...)
}

// measure records a call.
func (c *call) measure(f *stages.Facts, d time.Duration, fail failure) {
	measureStage(c.ctx, c.cfg, f.Stage, d, fail)
	m := c.cfg.metrics
	h := m.inference
	switch {
	case f.Operation == stages.OpEmbeddings:
		h = m.embeddings
	case f.Operation != stages.OpChat && f.Operation != stages.OpTextCompletion:
		return
	}
	if !h.Enabled(c.ctx) {
		return
	}
	attrs := append(make([]attribute.KeyValue, 0, 7),
		attr.OperationName.String(string(f.Operation)), attr.ProviderName.String(f.System),
		semconv.ServerAddress(c.host), semconv.ServerPort(c.port))
	if f.Request.Model != "" {
		attrs = append(attrs, attr.RequestModel.String(f.Request.Model))
	}
	if f.Model != "" {
		attrs = append(attrs, attr.ResponseModel.String(f.Model))
	}
	if first := f.Marks.FirstToken; f.Streamed && first.Known() {
		record(c.ctx, m.firstChunk, first.D, attrs...)
	}
	if fail.kind != "" {
		attrs = append(attrs, semconv.ErrorTypeKey.String(fail.kind))
	}
	record(c.ctx, h, d, attrs...)
}

// measurePhase records a phase inside the answering model's server, by its true duration.
func (c *call) measurePhase(p stages.Phase) {
	name, ok := strings.CutPrefix(string(p.Stage), "llm.")
	if ok {
		record(c.ctx, c.cfg.metrics.phase, p.End-p.Start, attr.Phase.String(name))
	}
}
