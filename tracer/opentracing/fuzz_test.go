package opentracing

import (
	"errors"
	"net/http"
	"testing"

	ot "github.com/opentracing/opentracing-go"
)

// Whatever the headers say, they are read or refused, and what was read is written so that it is read as the same again.
func FuzzExtract(f *testing.F) {
	f.Add(sampled, "a=1", "session.id=a%20b,ragtrace.question.number=3", "", "")
	f.Add("", "", "session.id=s", traceID+":"+spanID+":0:1", "a+b")
	f.Add("00-"+traceID+"-"+spanID+"-03", "a=1,b@c=2", "=,,%", "::::", "%zz")
	f.Add("cc-"+traceID+"-"+spanID+"-ff-x", "", "", "0:0:0:0", "")
	f.Fuzz(func(t *testing.T, parent, state, baggage, uber, uberctx string) {
		h := make(http.Header)
		for key, value := range map[string]string{
			"Traceparent": parent, "Tracestate": state, "Baggage": baggage, "Uber-Trace-Id": uber, "Uberctx-K": uberctx,
		} {
			if value != "" {
				h.Set(key, value)
			}
		}
		sc, err := W3C{}.Extract(ot.HTTPHeadersCarrier(h))
		if err != nil {
			if parent != "" && !errors.Is(err, ot.ErrSpanContextCorrupted) || len(h) == 0 && !errors.Is(err, ot.ErrSpanContextNotFound) {
				t.Errorf("error %v", err)
			}
			return
		}
		out := make(http.Header)
		if err := (W3C{}).Inject(sc, ot.HTTPHeadersCarrier(out)); err != nil {
			t.Fatal(err)
		}
		if len(out.Get("Baggage")) > 8192 {
			t.Errorf("%d bytes of baggage", len(out.Get("Baggage")))
		}
		if !sc.IsValid() {
			return
		}
		again, err := W3C{}.Extract(ot.HTTPHeadersCarrier(out))
		if err != nil {
			t.Fatalf("%v cannot be read: %v", out, err)
		}
		if again.TraceID() != sc.TraceID() || again.SpanID() != sc.SpanID() || again.IsSampled() != sc.IsSampled() {
			t.Errorf("%v was read again as %v", sc, again)
		}
	})
}
