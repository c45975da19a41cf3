package opentracing

import (
	ot "github.com/opentracing/opentracing-go"
	"github.com/uber/jaeger-client-go"
	"github.com/uber/jaeger-client-go/config"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/tracer/attr"
)

// Options are what a tracer of jaeger-client-go needs to take part: [W3C] headers in both directions, trace ids of 128 bits,
// and the question's session and number on every span that has them in its baggage.
func Options() []config.Option {
	return []config.Option{
		config.Injector(ot.HTTPHeaders, W3C{}),
		config.Extractor(ot.HTTPHeaders, W3C{}),
		config.Gen128Bit(true),
		config.ContribObserver(observer{}),
	}
}

// Stage marks a span, when it is started, as time that a question spends on that stage. It works with any tracer.
func Stage(stage stages.Stage) ot.Tags {
	return ot.Tags{
		string(attr.Stage):        string(stage),
		string(attr.InsideLLM):    stage.InsideLLM(),
		string(attr.TimingSource): string(stages.Measured),
		string(attr.SpanKind):     attr.KindOf(stage),
	}
}

// An observer puts session and number on spans.
type observer struct{}

// OnStartSpan implements [jaeger.ContribObserver].
func (observer) OnStartSpan(span ot.Span, _ string, _ ot.StartSpanOptions) (jaeger.ContribSpanObserver, bool) {
	return spanObserver{span}, true
}

// A spanObserver waits for the end of a span, since a tag cannot be set while it starts, and baggage may still come.
type spanObserver struct{ span ot.Span }

// OnFinish implements [jaeger.ContribSpanObserver].
func (o spanObserver) OnFinish(ot.FinishOptions) { tagSession(o.span) }

// OnSetOperationName implements [jaeger.ContribSpanObserver].
func (spanObserver) OnSetOperationName(string) {}

// OnSetTag implements [jaeger.ContribSpanObserver].
func (spanObserver) OnSetTag(string, any) {}
