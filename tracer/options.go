package tracer

import (
	"net/http"
	"reflect"
	"sync"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/ragtrace/ragtrace/tracer/attr"
)

// ScopeName is the name of the instrumentation scope of every span and metric that this package makes.
const ScopeName = "github.com/ragtrace/ragtrace/tracer"

const scopeVersion = "0.1.0"

// An Option changes how [Middleware], [Gateway], [Transport], [Stage] or [Ask] trace. None is needed.
type Option interface{ apply(*config) }

type optionFunc func(*config)

func (f optionFunc) apply(c *config) { f(c) }

// WithTracerProvider sends spans to p. Without it they go to the question's provider, else to the global one.
func WithTracerProvider(p trace.TracerProvider) Option {
	return optionFunc(func(c *config) { c.tracers = p })
}

// WithMeterProvider sends metrics to p instead of the global provider.
func WithMeterProvider(p metric.MeterProvider) Option {
	return optionFunc(func(c *config) { c.metrics = newInstruments(p) })
}

// WithPropagators reads and writes trace context with p instead of the global propagators.
func WithPropagators(p propagation.TextMapPropagator) Option {
	return optionFunc(func(c *config) { c.propagators = p })
}

// WithSession takes a question's session from its request. The result "" means that the request has none. Only
// [Middleware] heeds it.
func WithSession(f func(*http.Request) string) Option {
	return optionFunc(func(c *config) { c.session = f })
}

// WithPipeline names the pipeline that answers the questions, for a program with several. Questions are compared within
// their pipeline. [Middleware] and [Ask] heed it.
func WithPipeline(name string) Option {
	return optionFunc(func(c *config) { c.pipeline = name })
}

type config struct {
	tracers     trace.TracerProvider // nil: the question's, else the global one
	propagators propagation.TextMapPropagator
	metrics     *instruments
	session     func(*http.Request) string
	pipeline    string
	dup         bool // older attribute names too
}

func newConfig(opts []Option) *config {
	c := &config{dup: attr.Dup()}
	for _, o := range opts {
		if o != nil {
			o.apply(c)
		}
	}
	if c.metrics == nil {
		c.metrics = globalInstruments()
	}
	return c
}

var tracerOptions = []trace.TracerOption{trace.WithInstrumentationVersion(scopeVersion)}

// tracer is asked for at every question, so that a provider that is set late is found.
func (c *config) tracer() trace.Tracer {
	p := c.tracers
	if p == nil {
		p = otel.GetTracerProvider()
	}
	return p.Tracer(ScopeName, tracerOptions...)
}

func (c *config) propagator() propagation.TextMapPropagator {
	if c.propagators != nil {
		return c.propagators
	}
	return otel.GetTextMapPropagator()
}

// defaultConfig serves calls without options.
var defaultConfig = sync.OnceValue(func() *config { return newConfig(nil) })

func (c *config) sessionKey(session string) sessionKey {
	if c.tracers == nil || !reflect.ValueOf(c.tracers).Comparable() {
		return sessionKey{session: session}
	}
	return sessionKey{c.tracers, session}
}
