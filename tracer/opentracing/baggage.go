package opentracing

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	ot "github.com/opentracing/opentracing-go"
	"github.com/uber/jaeger-client-go"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/propagation"

	"github.com/ragtrace/ragtrace/tracer/attr"
)

// Limits on the baggage header, from W3C Baggage section 3.3.2.
const (
	maxMembers = 64
	maxBytes   = 8192
)

const baggageKey = "Baggage"

// baggageItems reads the baggage of some headers; nil when there is none.
func baggageItems(h http.Header) map[string]string {
	b := baggage.FromContext(propagation.Baggage{}.Extract(context.Background(), propagation.HeaderCarrier(h)))
	if b.Len() == 0 {
		return nil
	}
	items := make(map[string]string, b.Len())
	for _, m := range b.Members() {
		items[m.Key()] = m.Value()
	}
	return items
}

// baggageHeader writes a span's baggage. What W3C cannot say, a key that is no token or a value that is not UTF-8, is left
// out, and so is what does not fit. The items are sorted, those that ragtrace needs first.
func baggageHeader(sc ot.SpanContext) string {
	var members []baggage.Member
	sc.ForeachBaggageItem(func(key, value string) bool {
		if m, err := baggage.NewMemberRaw(key, value); err == nil {
			members = append(members, m)
		}
		return true
	})
	slices.SortFunc(members, func(a, b baggage.Member) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Key(), b.Key()))
	})
	var header strings.Builder
	n := 0
	for _, m := range members {
		s := m.String()
		if s == "" || n == maxMembers || header.Len()+len(",")+len(s) > maxBytes {
			continue
		}
		if n++; n > 1 {
			header.WriteByte(',')
		}
		header.WriteString(s)
	}
	return header.String()
}

func rank(m baggage.Member) int {
	switch m.Key() {
	case string(attr.SessionID), string(attr.QuestionNumber):
		return 0
	}
	return 1
}

// withItems is a carrier that has baggage items besides its own entries, as jaeger-client-go writes them.
type withItems struct {
	ot.TextMapReader
	items map[string]string
}

// ForeachKey implements [ot.TextMapReader]. The added items come last and so win.
func (c withItems) ForeachKey(handler func(key, value string) error) error {
	if err := c.TextMapReader.ForeachKey(handler); err != nil {
		return err
	}
	for key, value := range c.items {
		if err := handler(jaeger.TraceBaggageHeaderPrefix+key, url.QueryEscape(value)); err != nil {
			return err
		}
	}
	return nil
}
