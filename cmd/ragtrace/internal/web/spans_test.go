package web_test

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

const ms = time.Millisecond

// epoch is when the questions of the tests begin.
var epoch = time.Date(2026, 6, 2, 8, 0, 0, 0, time.UTC)

var app = &model.Resource{Attrs: model.Attrs{"service.name": "app"}}

// A script is one question that a test makes up: embed, then a call of load, prefill and decode, one after another, without
// any gap.
type script struct {
	session string
	number  int
	at      time.Duration // since epoch
	load    time.Duration // of the chat model
	decode  time.Duration // 0: 500 ms
	name    string        // of the embedding span
	attrs   model.Attrs   // of the call
}

func traceID(n int) model.TraceID {
	var id model.TraceID
	binary.BigEndian.PutUint64(id[8:], uint64(n))
	id[0] = 0xab
	return id
}

// spans are those of the n-th trace: 100 ms of embedding, the load, 100 ms of prefill, and decode.
func (s script) spans(n int) []model.Span {
	if s.decode == 0 {
		s.decode = 500 * ms
	}
	if s.name == "" {
		s.name = "embed"
	}
	start := epoch.Add(s.at).UnixNano()
	var spans []model.Span
	add := func(parent int, name, stage string, from, to time.Duration) *model.Span {
		span := model.Span{
			TraceID: traceID(n), SpanID: model.SpanID{7: byte(len(spans) + 1)}, Name: name, Kind: model.KindInternal,
			Start: start + int64(from), End: start + int64(to), Resource: app,
			Attrs: model.Attrs{"ragtrace.stage": stage, "session.id": s.session, "ragtrace.question.number": int64(s.number)},
		}
		if parent > 0 {
			span.ParentID = model.SpanID{7: byte(parent)}
		}
		spans = append(spans, span)
		return &spans[len(spans)-1]
	}
	called := 100 * ms
	end := called + s.load + 100*ms + s.decode
	add(0, "question", "question", 0, end)
	add(1, s.name, "embed", 0, called)
	call := add(1, "chat m", "llm", called, end)
	call.Kind = model.KindClient
	call.Attrs["gen_ai.request.model"], call.Attrs["gen_ai.provider.name"] = "m", "ollama"
	for key, v := range s.attrs {
		call.Attrs[key] = v
	}
	if s.load > 0 {
		add(3, "llm.load", "llm.load", called, called+s.load)
	}
	add(3, "llm.prefill", "llm.prefill", called+s.load, called+s.load+100*ms)
	add(3, "llm.decode", "llm.decode", called+s.load+100*ms, end)
	return spans
}

// ten are ten questions of session a, the first of which loads the model for 3 s: it takes 3700 ms, the others 700 ms.
func ten() []model.Span {
	var spans []model.Span
	for n := 1; n <= 10; n++ {
		s := script{session: "a", number: n, at: time.Duration(n) * 10 * time.Second}
		if n == 1 {
			s.load = 3000 * ms
		}
		spans = append(spans, s.spans(n)...)
	}
	return spans
}

// many are n questions without spans, in sessions of a hundred, every thousandth of which loads its model.
func many(n int) []diagnose.Question {
	questions := make([]diagnose.Question, n)
	for i := range questions {
		s := script{session: fmt.Sprintf("session-%d", i/100), number: i%100 + 1, at: time.Duration(i) * 5 * time.Second,
			decode: time.Duration(400+i%200) * ms}
		if i%1000 == 0 {
			s.load = 4 * time.Second
		}
		if i < 2000 {
			questions[i] = diagnose.Cut(s.spans(i + 1))[0]
			continue
		}
		// Cutting is not what is tested.
		q := questions[i%1000+1000]
		by := s.at - time.Duration(i%1000+1000)*5*time.Second
		q.TraceID, q.Session, q.Number, q.Start, q.End = traceID(i+1), s.session, s.number, q.Start+int64(by), q.End+int64(by)
		questions[i] = q
	}
	return questions
}

// wide is a question of n spans: searches side by side and one after another below one retrieval, and a call.
func wide(n int) []model.Span {
	spans := script{session: "wide", number: 1}.spans(1)
	last := &spans[len(spans)-1]
	for i := len(spans); i < n; i++ {
		s := spans[1]
		s.SpanID = model.SpanID{5: 1, 6: byte(i >> 8), 7: byte(i)}
		s.Name = fmt.Sprintf("query_points collection-%d", i%7)
		s.Attrs = model.Attrs{"ragtrace.stage": "search", "session.id": "wide", "db.system.name": "qdrant", "db.collection.name": "docs"}
		s.Start = last.Start + int64(i)*int64(ms)/2
		s.End = s.Start + int64(20*ms)
		spans = append(spans, s)
	}
	return spans
}
