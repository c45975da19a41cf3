package diagnose

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// plans draws questions of known component times.
func plans(t *rapid.T) []plan {
	some := func(name string, most time.Duration) time.Duration {
		return time.Duration(rapid.Int64Range(0, int64(most/time.Microsecond)).Draw(t, name)) * time.Microsecond
	}
	list := make([]plan, rapid.IntRange(1, 7).Draw(t, "questions"))
	for i := range list {
		p := warm()
		p.number = i + 1
		p.idle = some("idle", 600*time.Second)
		p.enter, p.gapStart, p.gap = some("enter", 50*ms), some("gapStart", 500*ms), some("gap", 500*ms)
		p.embedLoad, p.embed, p.search = some("embedLoad", 2000*ms), some("embed", 300*ms), some("search", 900*ms)
		p.load, p.prefill, p.decode = some("load", 3000*ms), some("prefill", 900*ms), some("decode", 3000*ms)
		p.gateway, p.connect, p.answerTail = some("gateway", 300*ms), some("connect", 200*ms), some("answerTail", 300*ms)
		if rapid.Bool().Draw(t, "server") {
			p.server = model.Attrs{}
		}
		list[i] = p
	}
	return list
}

// TestKnownComponents recovers the times that a question was built of.
func TestKnownComponents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s scene
		list := plans(t)
		for _, p := range list {
			s.ask(p)
		}
		questions := Cut(s.spans)
		if len(questions) != len(list) {
			t.Fatalf("%d questions of %d", len(questions), len(list))
		}
		for i, q := range questions {
			p := list[i]
			want := Components{
				Enter: p.enter, GapStart: p.gapStart, Prepare: p.prepare, EmbedLoad: p.embedLoad, Embed: p.embed, Search: p.search,
				Rerank: p.rerank, Prompt: p.prompt, Gap: p.gap, LLMLoad: p.load, LLMQueue: p.queue, LLMPrefill: p.prefill,
				LLMDecode: p.decode, Connect: p.connect, Gateway: p.gateway, Transport: p.transport, Answer: p.answerTail,
			}
			if diff := cmp.Diff(want, q.Components); diff != "" {
				t.Errorf("question %d (-want +got):\n%s", i+1, diff)
			}
		}
	})
}

// TestOrderAndDuplicates shuffles and repeats spans: nothing changes but a flag.
func TestOrderAndDuplicates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s scene
		for _, p := range plans(t) {
			s.ask(p)
		}
		want := Judge(Cut(s.spans))
		spans := slices.Clone(s.spans)
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		for range rapid.IntRange(0, 10).Draw(t, "repeated") {
			spans = append(spans, s.spans[random.IntN(len(s.spans))])
		}
		random.Shuffle(len(spans), func(i, j int) { spans[i], spans[j] = spans[j], spans[i] })
		got := Judge(Cut(spans))
		for i := range got.Questions {
			got.Questions[i].Flags = slices.DeleteFunc(slices.Clone(got.Questions[i].Flags), func(f string) bool { return f == FlagDuplicateSpans })
		}
		for i := range want.Questions {
			want.Questions[i].Flags = slices.Clone(want.Questions[i].Flags)
		}
		if diff := cmp.Diff(toJSON(t, want), toJSON(t, got)); diff != "" {
			t.Errorf("(-in order +shuffled):\n%s", diff)
		}
	})
}

// TestOtherClock lets the LLM server's clock be wrong: lengths and sides stay, positions need not.
func TestOtherClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s scene
		for _, p := range plans(t) {
			p.server, p.answerTail = model.Attrs{}, 3*ms // more than a clock may be wrong unseen
			s.ask(p)
		}
		ollama := resource("ollama", "ollama-1")
		servers := make(map[model.SpanID]bool)
		for i := range s.spans {
			if span := &s.spans[i]; span.Kind == model.KindServer || servers[span.ParentID] {
				servers[span.SpanID] = true
				span.Resource = ollama
			}
		}
		type sides struct {
			Phases        [5]time.Duration
			E2E, In, Out  time.Duration
			Slow          bool
			SideOfTheFile Side
		}
		judged := func() (list []sides) {
			questions := Cut(s.spans)
			r := Judge(questions)
			for i, q := range r.Questions {
				list = append(list, sides{[5]time.Duration(questions[i].Components[:5]), q.E2E, q.Inside, q.Outside, q.Slow, r.Verdict.Side})
			}
			return list
		}
		want := judged()
		skew := rapid.Int64Range(-1e12, 1e12).Draw(t, "skew")
		for i := range s.spans {
			if s.spans[i].Resource == ollama {
				s.spans[i].Start += skew
				s.spans[i].End += skew
			}
		}
		if diff := cmp.Diff(want, judged()); diff != "" {
			t.Errorf("(-right clock +wrong clock):\n%s", diff)
		}
	})
}

func toJSON(t interface{ Fatal(...any) }, v any) string {
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// checkInvariants are what must hold whatever the spans.
func checkInvariants(t interface{ Errorf(string, ...any) }, spans []model.Span) {
	questions := Cut(spans)
	data, err := json.Marshal(questions)
	if err != nil {
		t.Errorf("questions have no JSON: %v", err)
	}
	var back []Question
	if err := json.Unmarshal(data, &back); err != nil {
		t.Errorf("questions do not come back from JSON: %v", err)
	}
	for i := range questions {
		q := &questions[i]
		if q.Components.Total() != q.E2E() {
			t.Errorf("components add up to %v of %v", q.Components.Total(), q.E2E())
		}
		for c, d := range q.Components {
			if d < 0 {
				t.Errorf("%s = %v", Component(c), d)
			}
		}
	}
	r := Judge(questions)
	if _, err := json.Marshal(r); err != nil {
		t.Errorf("the report has no JSON: %v", err)
	}
	if r.Verdict.Text == "" {
		t.Errorf("no text")
	}
	for _, q := range r.Questions {
		var sum time.Duration
		for _, s := range q.Stages {
			sum += s.Time
		}
		if sum != q.E2E || q.Inside+q.Outside != q.E2E {
			t.Errorf("stages %v, inside %v + outside %v, E2E %v", sum, q.Inside, q.Outside, q.E2E)
		}
	}
}

// wildSpans draws spans of few ids, so that there are duplicates, circles and orphans, with any times and attributes.
func wildSpans(t *rapid.T) []model.Span {
	resources := []*model.Resource{nil, resource("app", "1"), resource("app", "2"), resource("ollama", "")}
	ids := rapid.Custom(func(t *rapid.T) model.SpanID {
		return model.SpanID{byte(rapid.IntRange(0, 12).Draw(t, "id"))}
	})
	times := rapid.OneOf(
		rapid.Int64Range(epoch, epoch+int64(20*time.Second)),
		rapid.SampledFrom([]int64{0, -1, 1, math.MaxInt64, math.MinInt64, epoch}),
	)
	texts := rapid.SampledFrom([]string{
		"question", "llm", "llm.load", "llm.queue", "llm.prefill", "llm.decode", "llm.x", "connect", "embed", "embed.load", "search",
		"gateway", "answer", "enter", "chat", "retrieval", "invoke_workflow", "LLM", "RETRIEVER", "", "a", "{}", "[\"error\"]", "2027-01-15T08:00:00Z",
	})
	values := rapid.OneOf(
		rapid.Map(texts, func(s string) any { return s }),
		rapid.Map(rapid.Float64(), func(f float64) any { return f }),
		rapid.Map(rapid.Int64(), func(n int64) any { return n }),
		rapid.SampledFrom([]any{true, nil, math.NaN(), math.Inf(1), 0.5, int64(1), []any{"error"}, map[string]any{"value": nil}}),
	)
	keys := rapid.SampledFrom([]string{
		"ragtrace.stage", "ragtrace.stage", "ragtrace.question.number", "session.id", "gen_ai.operation.name", "openinference.span.kind",
		"gen_ai.latency.time_in_queue", "gen_ai.latency.time_in_model_decode", "gen_ai.latency.time_to_first_token",
		"ragtrace.llm.load.duration", "ragtrace.llm.decode.duration", "ragtrace.llm.request.keep_alive", "ragtrace.llm.request.num_ctx",
		"gen_ai.request.stream", "gen_ai.response.time_to_first_chunk", "gen_ai.usage.output_tokens", "gen_ai.request.model",
		"http.request.method", "gen_ai.response.finish_reasons", "langwatch.timestamps", "langwatch.metrics", "db.system",
		"langfuse.observation.completion_start_time", "error.type",
	})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) model.Span {
		return model.Span{
			TraceID: model.TraceID{byte(rapid.IntRange(0, 2).Draw(t, "trace"))}, SpanID: ids.Draw(t, "span"), ParentID: ids.Draw(t, "parent"),
			Kind: model.Kind(rapid.IntRange(0, 5).Draw(t, "kind")), Start: times.Draw(t, "start"), End: times.Draw(t, "end"),
			Status: model.StatusCode(rapid.IntRange(0, 2).Draw(t, "status")),
			Attrs:  rapid.MapOfN(keys, values, 0, 6).Draw(t, "attrs"), Resource: rapid.SampledFrom(resources).Draw(t, "resource"),
		}
	}), 0, 40).Draw(t, "spans")
}

func TestWildSpans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkInvariants(t, wildSpans(t)) })
}

func FuzzSpans(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { checkInvariants(t, wildSpans(t)) }))
}

func FuzzOTLP(f *testing.F) {
	f.Add([]byte(`{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"a"}}]},"scopeSpans":[{"spans":[` +
		`{"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0102030405060708","name":"q","startTimeUnixNano":"1800000000000000000",` +
		`"endTimeUnixNano":"1800000001000000000","attributes":[{"key":"ragtrace.stage","value":{"stringValue":"question"}}]},` +
		`{"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0102030405060709","parentSpanId":"0102030405060708","kind":3,` +
		`"startTimeUnixNano":"1800000000100000000","endTimeUnixNano":"1800000000900000000",` +
		`"attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.usage.output_tokens","value":{"intValue":"5"}},` +
		`{"key":"ragtrace.llm.decode.duration","value":{"doubleValue":0.5}}]}]}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		spans, _ := decodeSpans(data) // what could be read
		checkInvariants(t, spans)
	})
}

// TestLongChains goes down very deep traces, and wide ones.
func TestLongChains(t *testing.T) {
	const n = 100_000
	for name, parent := range map[string]func(i int) int{"deep": func(i int) int { return i - 1 }, "wide": func(int) int { return 1 }} {
		t.Run(name, func(t *testing.T) {
			var s scene
			s.app = resource("app", "1")
			s.span(model.SpanID{}, "question", 0, time.Second, stage("question"))
			s.spans[0].TraceID = model.TraceID{1}
			for i := 2; i <= n; i++ {
				span := s.stage(s.spans[parent(i)-1].SpanID, "search", 0, 500*ms)
				span.TraceID = model.TraceID{1}
			}
			q := CutTrace(s.spans)
			if len(q) != 1 || q[0].Components[Search] != 500*ms {
				t.Fatalf("questions %v", q)
			}
		})
	}
}
