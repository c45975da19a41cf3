package diagnose

import (
	"testing"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// million is about a million spans in 80,000 questions, of which one in fifty is slow.
func million() []model.Span {
	var s scene
	for i := range 80_000 {
		p := warm()
		p.session = string(rune('a' + i%20))
		p.decode += time.Duration(i%97) * ms
		p.server = model.Attrs{}
		if i%50 == 0 {
			p.idle, p.load = 400*time.Second, 3000*ms
		}
		s.ask(p)
	}
	return s.spans
}

func BenchmarkMillion(b *testing.B) {
	spans := million()
	b.Run("cut", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Cut(spans)
		}
		b.ReportMetric(float64(len(spans)), "spans")
	})
	questions := Cut(spans)
	spans = nil
	b.Run("judge", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if r := Judge(questions); len(r.Verdict.Slow) != 1600-20 && len(r.Verdict.Slow) != 1600 {
				b.Fatalf("%d slow", len(r.Verdict.Slow))
			}
		}
		b.ReportMetric(float64(len(questions)), "questions")
	})
}
