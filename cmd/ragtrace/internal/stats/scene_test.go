package stats

import (
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

const ms = time.Millisecond

func ptr[T any](v T) *T { return &v }

// asked makes the result of a question of session a that starts at a number of milliseconds and spends what the components
// say. change may be nil.
func asked(number int, start, decode, search time.Duration, change func(r *diagnose.Result, q *diagnose.Question)) diagnose.Result {
	q := &diagnose.Question{
		TraceID: model.TraceID{byte(number)}, Session: "a", Number: number, Service: "app", Status: diagnose.StatusOK,
		Start: int64(time.Hour + start), End: int64(time.Hour + start + decode + search),
		Calls: []diagnose.Call{{
			Model: "m", Provider: "ollama", Start: int64(time.Hour + start + search), End: int64(time.Hour + start + decode + search),
			Input: 100, Output: 11, Cached: -1,
		}},
	}
	q.Components[diagnose.LLMDecode], q.Components[diagnose.Search] = decode, search
	r := diagnose.Result{Session: "a", Number: number, TraceID: q.TraceID, Timed: true, Status: diagnose.StatusOK, Question: q}
	if change != nil {
		change(&r, q)
	}
	r.Status, r.Timed, r.Session = q.Status, q.Timed(), q.Session
	return r
}

func makeCold(r *diagnose.Result, _ *diagnose.Question) {
	r.Cold = []diagnose.Cold{{Cause: "llm_load", Component: diagnose.LLMLoad, Time: 300 * ms}}
}
