package opentracing

import (
	"fmt"
	"strings"
	"testing"

	ot "github.com/opentracing/opentracing-go"
	"github.com/uber/jaeger-client-go"
)

// Beyond the limits of W3C, session and number are what stays, whatever their place in the alphabet.
func TestBaggageLimits(t *testing.T) {
	for _, c := range []struct {
		name    string
		n, size int // of other items
		members int
	}{
		{"64 members", 62, 10, 64},
		{"more", 63, 10, 64},
		{"far more", 1000, 1, 64},
		{"8192 bytes", 100, 1000, 2 + 8}, // 8 members of 1005 bytes and the two of 40
		{"one that does not fit", 1, 9000, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			items := map[string]string{"session.id": "anna", "ragtrace.question.number": "3"}
			for i := range c.n {
				items[fmt.Sprintf("a%03d", i)] = strings.Repeat("x", c.size)
			}
			got := make(ot.TextMapCarrier)
			if err := (W3C{}).Inject(jaeger.NewSpanContext(jaeger.TraceID{Low: 1}, 2, 0, true, items), got); err != nil {
				t.Fatal(err)
			}
			header := got["baggage"]
			if n := len(strings.Split(header, ",")); n != c.members || len(header) > 8192 {
				t.Errorf("%d members in %d bytes, want %d in at most 8192", n, len(header), c.members)
			}
			if !strings.HasPrefix(header, "ragtrace.question.number=3,session.id=anna") {
				t.Errorf("baggage begins with %.60s", header)
			}
		})
	}
}

func TestTooMuchBaggageComesIn(t *testing.T) {
	list := "session.id=anna"
	for i := range 1000 {
		list += fmt.Sprintf(",a%d=1", i)
	}
	for name, want := range map[string]int{list: 64, "session.id=" + strings.Repeat("x", 9000): 0} {
		sc, err := W3C{}.Extract(ot.HTTPHeadersCarrier(headers("Traceparent", sampled, "Baggage", name)))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		sc.ForeachBaggageItem(func(string, string) bool { n++; return true })
		if n != want {
			t.Errorf("%d items of %.20s..., want %d", n, name, want)
		}
	}
}
