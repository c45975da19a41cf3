package tracer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/tracer/attr"
)

// PathPaint is where a page reports what it painted, on the origin that it asked. [Middleware] answers it itself when it
// wraps the whole server.
const PathPaint = pathOwn + "paint"

// pathOwn is below which no request is a question.
const pathOwn = "/.ragtrace/"

// maxReport is the size of a report that is read, in bytes. One has about 150.
const maxReport = 1 << 10

// painted is what a page reports: durations by its own clock since it sent the request. Absent is nil.
type painted struct {
	Page       string   `json:"page"`          // the value of HeaderPage
	FirstByte  *float64 `json:"first_byte_ms"` // of the response, its head included
	FirstPaint *float64 `json:"first_paint_ms"`
	LastByte   *float64 `json:"last_byte_ms"`
	LastPaint  *float64 `json:"last_paint_ms"`

	received time.Time
}

// PaintHandler takes the reports of pages, by POST and in JSON:
//
//	{"page":"00f067aa0ba902b7","first_byte_ms":412.5,"first_paint_ms":431,"last_byte_ms":2300,"last_paint_ms":2318.2}
//
// Each number is milliseconds since the page sent the request, by its own clock, and may be missing. That moment is taken for
// the request's arrival: the question's length is then exact, and the stage paint, from the last byte written to the last
// paint, holds the way through the network in both directions. A report is taken once,
// from a page of the same origin, and for a question of this process that is recorded and ended at most 10 seconds ago; any
// other changes nothing, and is answered alike (204), so that nothing is learnt from it.
func PaintHandler() http.Handler { return http.HandlerFunc(paint) }

func paint(w http.ResponseWriter, r *http.Request) {
	received := time.Now()
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "report what was painted by POST", http.StatusMethodNotAllowed)
		return
	}
	if err := new(http.CrossOriginProtection).Check(r); err != nil {
		http.Error(w, "what was painted is reported to the page's own origin", http.StatusForbidden)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxReport))
	if err != nil {
		status := http.StatusBadRequest
		if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
			status = http.StatusRequestEntityTooLarge
		}
		http.Error(w, err.Error(), status)
		return
	}
	p, err := parsePainted(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.received = received
	pages.report(p.Page, p)
	w.WriteHeader(http.StatusNoContent)
}

// parsePainted reads a report. Its numbers are at most a day, and no first follows its last.
func parsePainted(body []byte) (*painted, error) {
	p := new(painted)
	if err := json.Unmarshal(body, p); err != nil {
		return nil, fmt.Errorf("the report of what was painted is not the JSON it should be: %w", err)
	}
	for _, ms := range [...]*float64{p.FirstByte, p.FirstPaint, p.LastByte, p.LastPaint} {
		if ms != nil && !(*ms >= 0 && *ms <= maxEnter) {
			return nil, fmt.Errorf("%v ms is not between 0 and 24 h", *ms)
		}
	}
	if after(p.FirstByte, p.LastByte) || after(p.FirstPaint, p.LastPaint) {
		return nil, errors.New("the first mark comes after the last")
	}
	return p, nil
}

// after reports whether both are known and a is the later.
func after(a, b *float64) bool { return a != nil && b != nil && *a > *b }

// last is when the user had everything: what was painted, else what was received; nil when neither is known.
func (p *painted) last() *float64 {
	if p.LastPaint != nil {
		return p.LastPaint
	}
	return p.LastByte
}

func milliseconds(ms float64) time.Duration {
	return time.Duration(math.Round(ms * float64(time.Millisecond)))
}

var paintAttrs = trace.WithAttributes(
	attr.Stage.String(string(stages.Answer)),
	attr.InsideLLM.Bool(false),
	attr.TimingSource.String(string(stages.Derived)),
	attr.SpanKind.String(attr.KindOf(stages.Answer)))

// shown extends an answer to what the user saw of it. The page's durations count from the moment it sent the request, which
// is taken for the arrival here. So the question's length is what the page's clock says, exactly, while everything between
// its ends stands too early in it by the time that the request took through the network, which no clock can tell.
//
// What comes after the last byte was written is the stage answer too, under the name paint: the answer on its way to the
// user's eyes, outside the LLM.
func (q *Question) shown(a answer, p *painted) answer {
	if p == nil || p.last() == nil {
		q.flag(attr.FlagNoPaint)
		return a
	}
	end := q.arrival.Add(milliseconds(*p.last()))
	if end.After(p.received) {
		q.flag(attr.FlagBadPaint) // nobody has seen what is yet to come
		return a
	}
	last := a.last
	if called := q.lastCall(last); called.After(last) {
		last = called
	}
	if start := last.Add(spanGap); end.After(start) {
		q.made("paint", paintAttrs, start, end)
		a.end = end
	}
	entered := q.arrival.Sub(q.start)
	for _, m := range [...]struct {
		key attribute.Key
		ms  *float64
	}{
		{attr.UserTimeToFirstByte, p.FirstByte},
		{attr.UserTimeToFirstPaint, p.FirstPaint},
		{attr.UserTimeToLastByte, p.LastByte},
	} {
		if m.ms != nil {
			a.attrs = append(a.attrs, m.key.Float64((entered + milliseconds(*m.ms)).Seconds()))
		}
	}
	return a
}
