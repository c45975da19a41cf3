//go:build unix

package endtoend

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/ragtrace/ragtrace/tracer"
	"github.com/ragtrace/ragtrace/tracer/tracertest"
)

// socketTolerance is how far the tracer may be off what the socket saw. A busy machine may hold up the one or the other for
// a moment, so the median of some calls counts.
const socketTolerance = 5 * time.Millisecond

// What the tracer tells of one call to Ollama is what the socket saw: the time to the first token, where there is one to be
// seen, and to the end. The phases are Ollama's, and with what none of them explains they are its whole time.
func TestTimesAsTheSocketSeesThem(t *testing.T) {
	ollama := startOllama(t)
	createModel(t, ollama, "chatter", 1)
	createModel(t, ollama, "embedder", 2)
	tap := startTap(t, ollama)
	c := newCaller(t, tap)
	for _, test := range []struct {
		name, path, body string
		stage            string
		streamed         bool
	}{
		{"generate", "/api/generate", `{"model":"chatter","options":{"num_predict":40},"prompt":%q}`, "llm", true},
		{"generate at once", "/api/generate", `{"model":"chatter","options":{"num_predict":40},"stream":false,"prompt":%q}`, "llm", false},
		{"chat", "/api/chat", `{"model":"chatter","options":{"num_predict":40},"messages":[{"role":"user","content":%q}]}`, "llm", true},
		{"chat at once", "/api/chat", `{"model":"chatter","options":{"num_predict":40},"stream":false,"messages":[{"role":"user","content":%q}]}`, "llm", false},
		{"embed", "/api/embed", `{"model":"embedder","input":[%q,"and what is it not"]}`, "embed", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var firstOff, serverOff, endOff []time.Duration
			for i := range 7 {
				text := fmt.Sprintf("%d %s: what is it", i, test.name)
				span, phases := c.call(t, test.path, fmt.Sprintf(test.body, text), test.stage)
				socket := tap.find(t, text)
				addUp(t, phases, socket.figures(t))
				end, wantEnd := span.EndTime().Sub(span.StartTime()), socket.end().Sub(socket.asked)
				endOff = append(endOff, (end - wantEnd).Abs())
				first, ok := seconds(span, firstChunk)
				if ok != test.streamed {
					t.Fatalf("the span has a first token: %v, want %v", ok, test.streamed)
				}
				if !ok {
					t.Logf("end after %v (socket %v)", end, wantEnd)
					continue
				}
				wantFirst := socket.first(t).Sub(socket.asked)
				server, _ := seconds(span, firstByServer)
				firstOff, serverOff = append(firstOff, (first-wantFirst).Abs()), append(serverOff, (server-wantFirst).Abs())
				t.Logf("first token after %v, by the server's clock %v (socket %v), end after %v (socket %v)", first, server, wantFirst, end, wantEnd)
			}
			near(t, "the end", endOff)
			if test.streamed {
				near(t, "the first token", firstOff)
				near(t, "the first token by the server's clock", serverOff)
			}
		})
	}
}

// Of two requests for one slot the second waits until the first is done. That is its queue, as long as the socket saw it.
func TestWaitForTheOnlySlotAsTheSocketSeesIt(t *testing.T) {
	ollama := startOllama(t)
	createModel(t, ollama, "chatter", 1)
	tap := startTap(t, ollama)
	first, second := newCaller(t, tap), newCaller(t, tap)
	first.call(t, "/api/generate", `{"model":"chatter","prompt":"load"}`, "llm")

	const body = `{"model":"chatter","options":{"num_predict":%d},"prompt":%q}`
	var firstOff, endOff, queueOff []time.Duration
	for i := range 3 {
		long, short := fmt.Sprintf("long %d", i), fmt.Sprintf("short %d", i)
		resp := first.post(t, t.Context(), "/api/generate", fmt.Sprintf(body, 1000, long))
		line := bufio.NewReader(resp.Body)
		if _, err := line.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		read := make(chan error)
		go func() {
			_, err := io.Copy(io.Discard, line)
			resp.Body.Close()
			read <- err
		}()
		span, phases := second.call(t, "/api/generate", fmt.Sprintf(body, 4, short), "llm")
		if err := <-read; err != nil {
			t.Fatal(err)
		}
		holder, waiter := tap.find(t, long), tap.find(t, short)
		_, held := first.ended(t, "llm")
		addUp(t, held, holder.figures(t))
		addUp(t, phases, waiter.figures(t))

		loaded := waiter.asked.Add(phases["llm.load"])
		if held["llm.queue"] > phases["llm.queue"]/4 {
			t.Errorf("the first waited for %v, the second for %v", held["llm.queue"], phases["llm.queue"])
		}
		queueOff = append(queueOff, (phases["llm.queue"] - holder.end().Sub(loaded)).Abs())
		ttft, _ := seconds(span, firstChunk)
		firstOff = append(firstOff, (ttft - waiter.first(t).Sub(waiter.asked)).Abs())
		endOff = append(endOff, (span.EndTime().Sub(span.StartTime()) - waiter.end().Sub(waiter.asked)).Abs())
		t.Logf("waited for %v, the slot was busy for %v; phases %v", phases["llm.queue"], holder.end().Sub(loaded), phases)
	}
	near(t, "the first token", firstOff)
	near(t, "the end", endOff)
	// The slot is free a little before the last line of its answer is read, and tokenising comes after.
	if slices.Sort(queueOff); queueOff[1] > 50*time.Millisecond {
		t.Errorf("the queue is %v off what the socket saw", queueOff[1])
	}
}

// A call that is given up ends when its connection is closed. What the server would have said of it at the end is not made
// up. There are several slots, since Ollama now and then never frees that of a call that was given up: it still wants to hand
// over a token that nobody takes any more.
func TestAbortAsTheSocketSeesIt(t *testing.T) {
	ollama := startOllama(t, "OLLAMA_NUM_PARALLEL=8")
	createModel(t, ollama, "chatter", 1)
	tap := startTap(t, ollama)
	c := newCaller(t, tap)
	var firstOff, endOff []time.Duration
	for i := range 5 { // fewer than slots
		text := fmt.Sprintf("endless %d", i)
		ctx, cancel := context.WithCancel(t.Context())
		resp := c.post(t, ctx, "/api/generate", fmt.Sprintf(`{"model":"chatter","options":{"num_ctx":1024,"num_predict":100000},"prompt":%q}`, text))
		lines := bufio.NewReader(resp.Body)
		for range 10 {
			if _, err := lines.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
		cancel()
		if _, err := io.Copy(io.Discard, lines); err == nil {
			t.Fatal("the endless answer came to its end")
		}
		resp.Body.Close()
		span, phases := c.ended(t, "llm")
		if kind := tracertest.Value(span, "error.type").AsString(); kind != "canceled" {
			t.Errorf("error.type is %q, want canceled", kind)
		}
		if len(phases) > 0 {
			t.Errorf("an answer without an end has the phases %v", phases)
		}
		socket := tap.find(t, text)
		first, ok := seconds(span, firstChunk)
		if !ok {
			t.Fatal("the span has no first token")
		}
		wantFirst, wantEnd := socket.first(t).Sub(socket.asked), tap.left(t, text).Sub(socket.asked)
		end := span.EndTime().Sub(span.StartTime())
		firstOff, endOff = append(firstOff, (first-wantFirst).Abs()), append(endOff, (end-wantEnd).Abs())
		t.Logf("first token after %v (socket %v), end after %v (socket %v)", first, wantFirst, end, wantEnd)
	}
	near(t, "the first token", firstOff)
	near(t, "the end", endOff)
}

// A caller is a traced client of a model server.
type caller struct {
	url    string
	client *http.Client
	spans  *tracertest.Recorder
}

func newCaller(t *testing.T, p *tap) *caller {
	c := &caller{url: p.url, spans: tracertest.New(t)}
	c.client = &http.Client{Transport: tracer.Transport(&http.Transport{}, tracer.WithTracerProvider(c.spans.TracerProvider()))}
	t.Cleanup(c.client.CloseIdleConnections)
	return c
}

func (c *caller) post(t *testing.T, ctx context.Context, path, body string) *http.Response {
	t.Helper()
	c.spans.Reset()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s answers %s", path, resp.Status)
	}
	return resp
}

// call reads an answer to its end and returns its span and phases.
func (c *caller) call(t *testing.T, path, body, stage string) (sdk.ReadOnlySpan, map[string]time.Duration) {
	t.Helper()
	resp := c.post(t, t.Context(), path, body)
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	return c.ended(t, stage)
}

// ended waits for the span of the only call, and returns it with its phases by name.
func (c *caller) ended(t *testing.T, stage string) (sdk.ReadOnlySpan, map[string]time.Duration) {
	t.Helper()
	for range 500 {
		var call sdk.ReadOnlySpan
		phases := make(map[oteltrace.SpanID]map[string]time.Duration)
		for _, s := range c.spans.Ended() {
			switch own := tracertest.Value(s, "ragtrace.stage").AsString(); {
			case own == stage:
				call = s
			case strings.HasPrefix(own, stage+"."):
				parent := s.Parent().SpanID()
				if phases[parent] == nil {
					phases[parent] = make(map[string]time.Duration)
				}
				phases[parent][s.Name()] += s.EndTime().Sub(s.StartTime())
			}
		}
		if call != nil {
			return call, phases[call.SpanContext().SpanID()]
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("the call has no span:\n%s", c.spans.Tree())
	return nil, nil
}

// The time to the first token, as the client saw it, and from the server's own stamps.
const (
	firstChunk    = "gen_ai.response.time_to_first_chunk"
	firstByServer = "ragtrace.llm.time_to_first_token"
)

func seconds(span sdk.ReadOnlySpan, key attribute.Key) (d time.Duration, ok bool) {
	v := tracertest.Value(span, key)
	return time.Duration(v.AsFloat64() * float64(time.Second)), v.Type() == attribute.FLOAT64
}

// addUp compares phases with Ollama's own figures.
func addUp(t *testing.T, phases map[string]time.Duration, f figures) {
	t.Helper()
	const exact = 10 * time.Microsecond
	var sum time.Duration
	for _, d := range phases {
		sum += d
	}
	within(t, "the phases' sum", sum, time.Duration(f.Total), exact)
	if load, ok := phases["embed.load"]; ok {
		within(t, "embed.load", load, time.Duration(f.Load), exact)
		return
	}
	within(t, "llm.load", phases["llm.load"], time.Duration(f.Load), exact)
	within(t, "llm.prefill", phases["llm.prefill"], time.Duration(f.PromptEval), exact)
	if d := phases["llm.decode"]; d < time.Duration(f.Eval)-exact {
		t.Errorf("llm.decode is %v, less than Ollama's %v", d, time.Duration(f.Eval))
	}
}

func near(t *testing.T, what string, off []time.Duration) {
	t.Helper()
	slices.Sort(off)
	if median := off[len(off)/2]; median > socketTolerance {
		t.Errorf("%s is %v off what the socket saw: %v", what, median, off)
	}
}
