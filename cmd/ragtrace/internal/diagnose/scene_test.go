package diagnose

import (
	"encoding/binary"
	"maps"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

const ms = time.Millisecond

// epoch is when the scenes of the tests begin, in Unix nanoseconds.
const epoch = int64(1_800_000_000_000_000_000)

// A plan is one question with the time of each stage, for the tests to change. The zero value of a stage leaves it out.
type plan struct {
	session  string
	number   int
	idle     time.Duration // since the end of the question before
	pipeline string
	instance string
	root     model.Attrs // further attributes
	status   model.StatusCode

	gapStart, enter, prepare, embedLoad, embed, search, rerank, prompt, gap time.Duration

	model                  string
	connect, gateway       time.Duration
	load, queue            time.Duration
	prefill, decode, other time.Duration // other: server time after decode
	transport              time.Duration
	failed                 []time.Duration // attempts of the call that failed, each followed by 100 ms of waiting
	calls                  int             // further calls like the first, 0: none, -1: not even that
	input, output, cached  int64           // tokens; 0: not told
	call                   model.Attrs     // further attributes of the call
	server                 model.Attrs     // attributes of a server span around the phases; nil: no such span
	noPhases               bool            // the phases take their time without spans
	firstChunk             time.Duration   // from the call's start; 0: not told
	answerAt               time.Duration   // from the start of decode to the start of answer
	answerTail             time.Duration   // of answer after the call
}

// warm is a question that everything is ready for: 1142 ms, 1010 ms of it inside the LLM.
func warm() plan {
	return plan{
		session: "a", idle: 10 * time.Second, pipeline: "docs-qa", instance: "app-1",
		prepare: 5 * ms, embed: 40 * ms, search: 30 * ms, rerank: 50 * ms, prompt: 5 * ms,
		model: "m", load: 8 * ms, queue: 2 * ms, prefill: 200 * ms, decode: 800 * ms, transport: 2 * ms,
		input: 1000, output: 101, cached: 500,
	}
}

// A scene is the spans of several questions.
type scene struct {
	spans []model.Span
	now   time.Duration // since epoch
	ids   uint64
	app   *model.Resource
}

func resource(name, instance string) *model.Resource {
	return &model.Resource{Attrs: model.Attrs{"service.name": name, "service.instance.id": instance}}
}

func (s *scene) id() (id model.SpanID) {
	s.ids++
	binary.BigEndian.PutUint64(id[:], s.ids)
	return id
}

// span adds a span from and to offsets since epoch.
func (s *scene) span(parent model.SpanID, name string, from, to time.Duration, attrs model.Attrs) *model.Span {
	span := model.Span{
		SpanID: s.id(), ParentID: parent, Name: name, Kind: model.KindInternal, Start: epoch + int64(from), End: epoch + int64(to),
		Attrs: maps.Clone(attrs), Resource: s.app,
	}
	if span.Attrs == nil {
		span.Attrs = model.Attrs{}
	}
	s.spans = append(s.spans, span)
	return &s.spans[len(s.spans)-1]
}

func (s *scene) stage(parent model.SpanID, stage string, from, to time.Duration) *model.Span {
	return s.span(parent, stage, from, to, model.Attrs{"ragtrace.stage": stage})
}

// ask adds a question as planned.
func (s *scene) ask(p plan) {
	s.app = resource("rag-app", p.instance)
	s.now += p.idle
	first, start := len(s.spans), s.now
	rootSpan := s.span(model.SpanID{}, "question", start, start, p.root)
	rootSpan.Status = p.status
	rootSpan.Attrs["ragtrace.stage"] = "question"
	rootSpan.Attrs["gen_ai.agent.name"] = p.pipeline
	if p.session != "" {
		rootSpan.Attrs["session.id"] = p.session
	}
	if p.number != 0 {
		rootSpan.Attrs["ragtrace.question.number"] = int64(p.number)
	}
	root := rootSpan.SpanID

	at := start
	next := func(parent model.SpanID, stage string, d time.Duration) model.SpanID {
		if d == 0 {
			return model.SpanID{}
		}
		at += d
		return s.stage(parent, stage, at-d, at).SpanID
	}
	next(root, "enter", p.enter)
	at += p.gapStart
	next(root, "prepare", p.prepare)
	if embed := next(root, "embed", p.embedLoad+p.embed); p.embedLoad > 0 {
		s.stage(embed, "embed.load", at-p.embed-p.embedLoad, at-p.embed)
	}
	next(root, "search", p.search)
	next(root, "rerank", p.rerank)
	next(root, "prompt", p.prompt)
	at += p.gap
	decode := at
	for range 1 + p.calls {
		at, decode = s.callLLM(root, p, at)
	}
	if p.answerAt > 0 || p.answerTail > 0 {
		s.stage(root, "answer", decode+p.answerAt, at+p.answerTail)
		at += p.answerTail
	}
	s.spans[first].End = epoch + int64(at)
	s.now = at

	var trace model.TraceID
	binary.BigEndian.PutUint64(trace[:], s.ids)
	for i := first; i < len(s.spans); i++ {
		s.spans[i].TraceID = trace
	}
}

// callLLM adds a call and returns its end and the start of decode.
func (s *scene) callLLM(root model.SpanID, p plan, start time.Duration) (end, decode time.Duration) {
	call := s.stage(root, "llm", start, start)
	call.Kind = model.KindClient
	maps.Copy(call.Attrs, p.call)
	call.Attrs["gen_ai.request.model"] = p.model
	for key, n := range map[string]int64{
		"gen_ai.usage.input_tokens": p.input, "gen_ai.usage.output_tokens": p.output,
		"gen_ai.usage.cache_read.input_tokens": p.cached,
	} {
		if n > 0 {
			call.Attrs[key] = n
		}
	}
	if p.firstChunk > 0 {
		call.Attrs["gen_ai.response.time_to_first_chunk"] = p.firstChunk.Seconds()
	}
	id, at := call.SpanID, start
	index := len(s.spans) - 1
	if p.connect > 0 {
		s.stage(id, "connect", at, at+p.connect)
		at += p.connect
	}
	for _, d := range p.failed {
		attempt := s.span(id, "POST", at, at+d, model.Attrs{"http.request.method": "POST"})
		attempt.Kind, attempt.Status = model.KindClient, model.StatusError
		at += d + 100*ms
	}
	attempt := s.span(id, "POST", at, at, model.Attrs{"http.request.method": "POST"})
	attempt.Kind = model.KindClient
	attemptIndex := len(s.spans) - 1
	at += p.transport
	if p.gateway > 0 {
		s.stage(attempt.SpanID, "gateway", at, at+p.gateway)
		at += p.gateway
	}
	below := id
	serverIndex := -1
	if p.server != nil {
		server := s.span(s.spans[attemptIndex].SpanID, "POST /api/chat", at, at, p.server)
		server.Kind, server.Attrs["ragtrace.stage"] = model.KindServer, "llm"
		below, serverIndex = server.SpanID, len(s.spans)-1
	}
	for _, phase := range []struct {
		stage string
		d     time.Duration
	}{
		{"llm.load", p.load}, {"llm.queue", p.queue}, {"llm.prefill", p.prefill}, {"llm.decode", p.decode}, {"llm.other", p.other},
	} {
		if phase.stage == "llm.decode" {
			decode = at
		}
		if phase.d > 0 && !p.noPhases {
			s.stage(below, phase.stage, at, at+phase.d)
		}
		at += phase.d
	}
	if serverIndex >= 0 {
		s.spans[serverIndex].End = epoch + int64(at)
	}
	s.spans[attemptIndex].End = epoch + int64(at)
	s.spans[index].End = epoch + int64(at)
	return at, decode
}

// play asks n warm questions, each changed as change says (i counts from 1).
func play(n int, change func(i int, p *plan)) []model.Span {
	var s scene
	for i := 1; i <= n; i++ {
		p := warm()
		change(i, &p)
		s.ask(p)
	}
	return s.spans
}
