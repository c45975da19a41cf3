package sglang

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/stream"
)

// read shows pieces, one a millisecond, to a Reader.
func read(framing stream.Framing, pieces ...string) *stages.Facts {
	f := &stages.Facts{Stage: stages.LLM}
	r := New(f)
	r.Head(200, nil)
	s := stream.NewSplitter(r.Schema(), framing, r)
	for i, p := range pieces {
		s.Write(time.Duration(i)*time.Millisecond, []byte(p))
	}
	s.Close(true)
	r.End()
	return f
}

// TestCumulativeText: every event repeats the text; one that brings nothing new is no token event.
func TestCumulativeText(t *testing.T) {
	f := read(stream.Events,
		"data: {\"text\":\"\",\"meta_info\":{\"finish_reason\":null}}\n\n",
		"data: {\"text\":\"a\",\"meta_info\":{\"completion_tokens\":1,\"finish_reason\":null}}\n\n",
		"data: {\"text\":\"a\",\"meta_info\":{\"completion_tokens\":2,\"finish_reason\":null}}\n\n",
		"data: {\"text\":\"a b\",\"meta_info\":{\"prompt_tokens\":9,\"completion_tokens\":3,\"cached_tokens\":4,\"e2e_latency\":0.0025,\"finish_reason\":{\"type\":\"length\",\"length\":3}}}\n\n",
		"data: [DONE]\n\n")
	if f.TokenEvents != 2 || f.Marks.FirstToken.D != time.Millisecond || f.Marks.Done.D != 3*time.Millisecond {
		t.Errorf("%d events, first at %v, done at %v", f.TokenEvents, f.Marks.FirstToken.D, f.Marks.Done.D)
	}
	if f.DoneReason != "length" || f.InputTokens.N != 9 || f.OutputTokens.N != 3 || f.CachedTokens.N != 4 || f.Total.D != 2500*time.Microsecond {
		t.Errorf("reason %q, tokens %d, %d, %d, total %v", f.DoneReason, f.InputTokens.N, f.OutputTokens.N, f.CachedTokens.N, f.Total.D)
	}
}

// TestOwnFigures: numbers of meta_info that have no meaning here are kept, as the last event has them.
func TestOwnFigures(t *testing.T) {
	f := read(stream.Events,
		"data: {\"text\":\"a\",\"meta_info\":{\"id\":\"x\",\"queue_time\":0.5,\"Odd Name\":1,\"spec_verify_ct\":1,\"nested\":{\"n\":1}}}\n\n",
		"data: {\"text\":\"a b\",\"meta_info\":{\"queue_time\":0.5,\"spec_verify_ct\":4,\"finish_reason\":{\"type\":\"stop\"}}}\n\n")
	want := []stages.Figure{{Name: "queue_time", Value: 0.5}, {Name: "spec_verify_ct", Value: 4}}
	if diff := cmp.Diff(want, f.Figures); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOtherAnswers(t *testing.T) {
	if f := read(stream.JSON, `{"text":"hi","meta_info":{"finish_reason":"stop","completion_tokens":2}}`); f.TokenEvents != 1 || f.DoneReason != "stop" || f.Marks.FirstToken.Known() {
		t.Errorf("plain body: %d events, reason %q, first %v", f.TokenEvents, f.DoneReason, f.Marks.FirstToken)
	}
	if f := read(stream.JSON, `{"text":"hi","meta_info":{"finish_reason":"stop","e2e_latency":-1}}`); f.Total.Known() || !f.Flagged("bad_e2e_latency") {
		t.Errorf("a latency of -1 s: total %v, flags %v", f.Total, f.Flags)
	}
	if f := read(stream.JSON, `{"error":{"message":"too long"}}`); f.Error != "too long" || f.Marks.Done.Known() {
		t.Errorf("error %q, done %v", f.Error, f.Marks.Done)
	}
	if f := read(stream.Events, "data: {\"text\":\"a\"}\n\n"); f.Marks.Done.Known() {
		t.Error("a stream that breaks off is finished")
	}
}

func TestMatch(t *testing.T) {
	req := &stages.Request{Method: http.MethodPost, URL: &url.URL{Path: "/generate"}}
	if got := Match(req, &stages.RequestFacts{Extra: map[string]bool{"sampling_params": true}}); got != stages.OpTextCompletion {
		t.Errorf("with sampling_params: %q", got)
	}
	if got := Match(req, &stages.RequestFacts{HasPrompt: true}); got != "" {
		t.Errorf("another server's /generate: %q", got)
	}
}

// FuzzReader wants no panic, whatever a server sends.
func FuzzReader(f *testing.F) {
	f.Add(uint8(2), []byte("data: {\"text\":\"a\",\"meta_info\":{\"finish_reason\":{\"type\":\"stop\"},\"e2e_latency\":1e300}}\n\n"))
	f.Fuzz(func(t *testing.T, framing uint8, body []byte) { read(stream.Framing(framing%3), string(body)).Settle() })
}
