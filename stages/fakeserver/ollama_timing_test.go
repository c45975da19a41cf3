package fakeserver

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

const ms = time.Millisecond

// twoModels is a chat model that says four tokens and an embedding model.
func twoModels(change func(*OllamaConfig)) *Ollama {
	config := OllamaConfig{Models: []Model{
		{
			Name: "chat", Load: 300 * ms, Prefill: 40 * ms, PrefillPerToken: ms, ColdPrefill: 100 * ms, TokenTime: 10 * ms,
			Answer: func(string) string { return "one two three four" },
		},
		{Name: "embed", Kind: Embed, Load: 200 * ms, Prefill: 5 * ms},
	}}
	if change != nil {
		change(&config)
	}
	return NewOllama(config)
}

const (
	chatJSON  = `{"model":"chat","messages":[{"role":"user","content":"what is it"}]}`
	embedJSON = `{"model":"embed","input":"what is it"}`
)

// A prompt of three words is 4 tokens: 40 ms + 4 x 1 ms. Four tokens and the end token are four steps of 10 ms. Handling is
// 4 ms and preparing 1 ms.
const (
	warmTotal = 4*ms + ms + 44*ms + 40*ms
	coldTotal = warmTotal + 300*ms + 100*ms
)

func TestChatColdThenWarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serve(t, twoModels(nil))
		cold := c.post("/api/chat", chatJSON)
		got := cold.last(t)
		if got.Load != 304*ms || got.Prefill != 144*ms || got.Decode != 40*ms || got.Total != coldTotal || got.Eval != 5 || got.Prompt != 4 {
			t.Errorf("cold: %+v", got)
		}
		if cold.reads[0] != 449*ms || cold.end != coldTotal {
			t.Errorf("cold: first read at %v, end %v", cold.reads[0], cold.end)
		}
		warm := c.post("/api/chat", chatJSON)
		got = warm.last(t)
		if got.Load != 4*ms || got.Prefill != 44*ms || got.Decode != 40*ms || got.Total != warmTotal {
			t.Errorf("warm: %+v", got)
		}
		first := warm.lines(t)[0]
		if d := got.Created.Sub(first.Created); d != got.Decode {
			t.Errorf("from the first stamp to the last %v, want %v", d, got.Decode)
		}
	})
}

// at starts f in a goroutine after d and returns where its result comes.
func at[T any](d time.Duration, f func() T) <-chan T {
	c := make(chan T, 1)
	go func() {
		time.Sleep(d)
		c <- f()
	}()
	return c
}

func (c *client) chat() reply  { return c.post("/api/chat", chatJSON) }
func (c *client) embed() reply { return c.post("/api/embed", embedJSON) }

// A model is looked for when its request has been handled, 4 ms after it came.
func TestKeepAlive(t *testing.T) {
	tests := []struct {
		name, body string
		server     time.Duration // OLLAMA_KEEP_ALIVE
		idle       time.Duration
		cold       bool
	}{
		{"five minutes if nobody says", chatJSON, 0, 5*time.Minute - 5*ms, false},
		{"and not longer", chatJSON, 0, 5*time.Minute - 4*ms, true},
		{"as the server says", chatJSON, time.Minute, time.Minute, true},
		{"for ever on the server", chatJSON, -1, 10000 * time.Hour, false},
		{"seconds", with(`"keep_alive":2`), 0, 2 * time.Second, true},
		{"seconds, in time", with(`"keep_alive":2`), 0, 2*time.Second - 5*ms, false},
		{"a duration", with(`"keep_alive":"1h"`), 0, time.Hour - 5*ms, false},
		{"a duration that is over", with(`"keep_alive":"1h"`), 0, time.Hour, true},
		{"negative is for ever", with(`"keep_alive":-1`), 0, 10000 * time.Hour, false},
		{"a negative duration too", with(`"keep_alive":"-1s"`), 0, 10000 * time.Hour, false},
		{"zero", with(`"keep_alive":0`), 0, 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := serve(t, twoModels(func(o *OllamaConfig) { o.KeepAlive = tt.server }))
				c.post("/api/chat", tt.body).last(t)
				time.Sleep(tt.idle)
				want := 4 * ms
				if tt.cold {
					want += 300 * ms
				}
				if got := c.chat().last(t).Load; got != want {
					t.Errorf("load %v, want %v", got, want)
				}
			})
		})
	}
}

// with is a chat with another field.
func with(field string) string {
	return `{"model":"chat","messages":[{"role":"user","content":"what is it"}],` + field + `}`
}

func TestKeepAliveWithoutUnitIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := serve(t, twoModels(nil)).post("/api/chat", with(`"keep_alive":"-1"`))
		if got.status != 400 || got.body != `{"error":"time: missing unit in duration \"-1\""}` {
			t.Errorf("%d %s", got.status, got.body)
		}
	})
}

func TestModelsEvictEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serve(t, twoModels(func(o *OllamaConfig) { o.MaxLoaded = 1 }))
		for range 2 {
			if got := c.embed().last(t).Load; got != 204*ms {
				t.Errorf("embedding: load %v", got)
			}
			if got := c.chat().last(t).Load; got != 304*ms {
				t.Errorf("chat: load %v", got)
			}
		}
	})
}

// Of two idle models the one with the shorter keep-alive goes.
func TestVictimIsTheIdleOneWithTheShortestKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serve(t, NewOllama(OllamaConfig{
			MaxLoaded: 2,
			Models:    []Model{{Name: "a", Load: 300 * ms}, {Name: "b", Load: 300 * ms}, {Name: "c", Load: 300 * ms}},
		}))
		load := func(model, keepAlive string) time.Duration {
			t.Helper()
			return c.post("/api/generate", `{"model":"`+model+`","prompt":"x","keep_alive":"`+keepAlive+`"}`).last(t).Load
		}
		load("a", "1h")
		load("b", "10m")
		load("c", "2h")
		if got := load("a", "1h"); got != 4*ms {
			t.Errorf("a: load %v", got)
		}
		if got := load("b", "10m"); got != 304*ms { // in the place of a
			t.Errorf("b: load %v", got)
		}
		if got := load("c", "1m"); got != 4*ms {
			t.Errorf("c: load %v", got)
		}
	})
}

// The embedding comes 100 ms after a warm chat has begun that is done after 4 s and 49 ms: it waits for that, then loads.
func TestLoadWaitsForTheVictimsAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := twoModels(func(o *OllamaConfig) { o.MaxLoaded = 1; o.Models[0].TokenTime = time.Second })
		c := serve(t, o)
		c.chat().last(t)
		embedded := at(100*ms, c.embed)
		if got := c.chat().last(t); got.Total != 49*ms+4*time.Second {
			t.Errorf("chat: %+v", got)
		}
		if got := (<-embedded).last(t); got.Load != 49*ms+4*time.Second-100*ms+200*ms {
			t.Errorf("embedding: load %v", got.Load)
		}
	})
}

// The second request comes 50 ms after the first, which is ready after 304 ms, and runs when the first is done with the
// only slot: at 304 + 1 + 144 + 40 = 489 ms. It is ready for it at 305 ms.
func TestSecondRequestSharesTheLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serve(t, twoModels(nil))
		second := at(50*ms, c.chat)
		if got := c.chat().last(t); got.Load != 304*ms {
			t.Errorf("first: load %v", got.Load)
		}
		got := (<-second).last(t)
		if got.Load != 254*ms || got.Prefill != 44*ms {
			t.Errorf("second: %+v", got)
		}
		if wait := got.Total - got.Load - got.Prefill - got.Decode; wait != 1*ms+(489-305)*ms {
			t.Errorf("second: in the total alone %v", wait)
		}
	})
}

// A warm chat has its slot from 5 ms to 89 ms. One that comes at 20 ms is ready for it at 25 ms.
func TestSlotWaitIsInTheTotalAlone(t *testing.T) {
	for _, tt := range []struct {
		parallel int
		wait     time.Duration
	}{{1, 64 * ms}, {2, 0}} {
		synctest.Test(t, func(t *testing.T) {
			c := serve(t, twoModels(func(o *OllamaConfig) { o.Parallel = tt.parallel }))
			c.chat().last(t)
			second := at(20*ms, c.chat)
			c.chat().last(t)
			got := (<-second).last(t)
			if got.Load != 4*ms || got.Prefill != 44*ms || got.Decode != 40*ms || got.Total != warmTotal+tt.wait {
				t.Errorf("%d slots: %+v", tt.parallel, got)
			}
		})
	}
}

func TestOtherOptionsReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serve(t, twoModels(nil))
		for i, tt := range []struct {
			body string
			load time.Duration
		}{
			{chatJSON, 304 * ms},
			{with(`"options":{"num_ctx":4096}`), 4 * ms}, // the default
			{with(`"options":{"num_ctx":8192}`), 304 * ms},
			{with(`"options":{"num_ctx":8192,"temperature":1,"seed":3}`), 4 * ms},
			{chatJSON, 304 * ms},
			{with(`"options":{"num_thread":2}`), 304 * ms},
		} {
			if got := c.post("/api/chat", tt.body).last(t).Load; got != tt.load {
				t.Errorf("request %d: load %v, want %v", i+1, got, tt.load)
			}
		}
	})
}

// Clients that leave free what they hold or wait for, at once.
func TestCancel(t *testing.T) {
	leave := func(c *client, after time.Duration) {
		ctx, cancel := context.WithTimeout(c.t.Context(), after)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, "POST", "http://server/api/chat", strings.NewReader(chatJSON))
		if err != nil {
			c.t.Error(err)
			return
		}
		if resp, err := c.http.Do(req); err == nil {
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
	}
	t.Run("during the answer", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := serve(t, twoModels(func(o *OllamaConfig) { o.Models[0].TokenTime = time.Hour }))
			leave(c, time.Second)
			synctest.Wait()
			go leave(c, time.Minute)
			time.Sleep(time.Second)
			start := time.Now()
			go leave(c, time.Second) // waits for the slot
			time.Sleep(2 * time.Second)
			// The one that waited is gone, the other goes after a minute: then the slot is free.
			got := c.post("/api/chat", with(`"options":{"num_predict":1}`)).last(t)
			if end := time.Since(start); got.Load != 4*ms || end != 59*time.Second+44*ms {
				t.Errorf("load %v, end %v", got.Load, end)
			}
		})
	})
	t.Run("during the load", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := serve(t, twoModels(nil))
			second := at(50*ms, c.chat)
			leave(c, 100*ms)
			// The load was the first one's and ends with it; the second begins anew at 100 ms, and was asked at 50 ms.
			if got := (<-second).last(t).Load; got != 50*ms+300*ms {
				t.Errorf("load %v", got)
			}
		})
	})
	t.Run("while waiting for a place", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			// An embedding of an hour keeps the only place.
			slow := serve(t, twoModels(func(o *OllamaConfig) { o.MaxLoaded = 1; o.Models[1].Prefill = time.Hour }))
			long := at(0, slow.embed)
			time.Sleep(time.Second)
			leave(slow, time.Second)
			if got := (<-long).last(t); got.Load != 204*ms {
				t.Errorf("embedding: %+v", got)
			}
			if got := slow.chat().last(t).Load; got != 304*ms {
				t.Errorf("chat: load %v", got)
			}
		})
	})
}

func TestPreloadAndUnload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serve(t, twoModels(nil))
		for i, tt := range []struct {
			path, body, reason string
			end                time.Duration
		}{
			{"/api/generate", `{"model":"chat"}`, "load", 304 * ms},
			{"/api/chat", `{"model":"chat"}`, "load", 4 * ms},
			{"/api/chat", `{"model":"chat","keep_alive":0}`, "unload", 0},
			{"/api/chat", `{"model":"chat","messages":[]}`, "load", 304 * ms},
			{"/api/generate", `{"model":"chat","keep_alive":0}`, "unload", 0},
			{"/api/generate", `{"model":"embed","keep_alive":0}`, "unload", 0},
		} {
			r := c.post(tt.path, tt.body)
			got := r.last(t)
			if got.Reason != tt.reason || !got.Done || got.Load != 0 || got.Total != 0 || r.end != tt.end {
				t.Errorf("request %d: %+v after %v", i+1, got, r.end)
			}
			if ct := r.header.Get("Content-Type"); ct != "application/json; charset=utf-8" {
				t.Errorf("request %d: %s", i+1, ct)
			}
		}
	})
}

func TestProcesses(t *testing.T) {
	type listed struct {
		Models []struct {
			Name    string
			Expires time.Time `json:"expires_at"`
			NumCtx  int       `json:"context_length"`
		}
	}
	synctest.Test(t, func(t *testing.T) {
		c := serve(t, twoModels(nil))
		list := func() (l listed) {
			t.Helper()
			r := c.do("GET", "/api/ps", "")
			if err := json.Unmarshal([]byte(r.body), &l); err != nil {
				t.Fatal(err)
			}
			return l
		}
		if got := list(); len(got.Models) != 0 {
			t.Fatalf("at the start: %+v", got)
		}
		chat := at(0, c.chat)
		time.Sleep(100 * ms)
		// Still loading: listed, and the time of expiry moves.
		if got := list(); len(got.Models) != 1 || !got.Models[0].Expires.Equal(time.Now().Add(5*time.Minute)) {
			t.Errorf("loading: %+v", got)
		}
		<-chat
		time.Sleep(time.Second)
		c.embed()
		got := list()
		if len(got.Models) != 2 || got.Models[0].Name != "embed:latest" || got.Models[1].Name != "chat:latest" || got.Models[1].NumCtx != 4096 {
			t.Errorf("both loaded: %+v", got)
		}
		if left := time.Until(got.Models[0].Expires); left != 5*time.Minute {
			t.Errorf("the embedding model has %v left", left)
		}
		time.Sleep(5 * time.Minute)
		if got := list(); len(got.Models) != 0 {
			t.Errorf("at the end: %+v", got)
		}
	})
}

// Sampling is in no field but the total: five tokens, the end token counted, of 2 ms each.
func TestSamplingIsInTheTotalAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serve(t, twoModels(func(o *OllamaConfig) { o.Models[0].Sampling = 2 * ms }))
		if got := c.chat().last(t); got.Decode != 40*ms || got.Total != coldTotal+10*ms {
			t.Errorf("%+v", got)
		}
	})
}

func TestTokensPerLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serve(t, twoModels(func(o *OllamaConfig) { o.Models[0].TokensPerLine = 3 }))
		r := c.chat()
		var got []string
		for _, l := range r.lines(t) {
			got = append(got, l.Message.Content)
		}
		if diff := cmp.Diff([]string{"one two three", " four", ""}, got); diff != "" {
			t.Error(diff)
		}
		if r.last(t).Eval != 5 {
			t.Errorf("eval_count %d", r.last(t).Eval)
		}
	})
}

// The inputs of one request run one after the other, and no two requests at a time, whatever the slots of chat models.
func TestEmbedding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serve(t, twoModels(func(o *OllamaConfig) { o.Parallel = 4 }))
		c.embed().last(t)
		other := at(0, func() reply { return c.post("/api/embed", `{"model":"embed","input":["a","b","c"]}`) })
		own := c.post("/api/embed", `{"model":"embed","input":["a","b","c"]}`).last(t)
		both := max((<-other).last(t).Total, own.Total)
		if own.Load != 4*ms || own.Prompt != 6 || both != 4*ms+6*5*ms {
			t.Errorf("load %v, tokens %d, both after %v", own.Load, own.Prompt, both)
		}
	})
}

func TestThinkingComesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serve(t, twoModels(func(o *OllamaConfig) {
			o.Models[0].Thinking = func(string) string { return "hm well" }
		}))
		kinds := func(body string) string {
			var b strings.Builder
			for _, l := range c.post("/api/chat", body).lines(t) {
				b.WriteString(l.Message.Thinking + "|" + l.Message.Content + ";")
			}
			return b.String()
		}
		if got, want := kinds(chatJSON), "hm|; well|;|one;| two;| three;| four;|;"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if got, want := kinds(with(`"think":false`)), "|one;| two;| three;| four;|;"; got != want {
			t.Errorf("without thinking: got %s, want %s", got, want)
		}
	})
}
