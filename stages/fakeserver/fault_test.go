package fakeserver

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// faulty is twoModels with one fault for every request.
func faulty(f Fault) *Ollama {
	return twoModels(func(o *OllamaConfig) { o.Script = func(int, *http.Request, []byte) Fault { return f } })
}

func TestFaults(t *testing.T) {
	const plain = `{"model":"chat","stream":false,"messages":[{"role":"user","content":"what is it"}]}`
	const v1 = `{"model":"chat","stream":true,"messages":[{"role":"user","content":"what is it"}]}`
	ends := func(s string) func(reply) bool {
		return func(r reply) bool { return r.err == nil && strings.HasSuffix(r.body, s) }
	}
	broken := func(lines int) func(reply) bool {
		return func(r reply) bool {
			return errors.Is(r.err, io.ErrUnexpectedEOF) && strings.Count(r.body, "\n") == lines && !strings.Contains(r.body, `"done":true`)
		}
	}
	tests := []struct {
		name, path, body string
		fault            Fault
		status           int
		ok               func(reply) bool
	}{
		{"cut after two lines", "/api/chat", chatJSON, Fault{AfterLines: 2, Cut: true}, 200, broken(2)},
		{"cut before the finish", "/api/chat", chatJSON, Fault{AfterLines: 100, Cut: true}, 200, broken(4)},
		{"reset", "/api/chat", chatJSON, Fault{AfterLines: 1, Reset: true}, 200, broken(1)},
		{"cut in a plain answer", "/api/chat", plain, Fault{Cut: true}, 200, func(r reply) bool { return r.err != nil && r.body != "" }},
		{"no finish", "/api/chat", chatJSON, Fault{AfterLines: 4, Stop: true}, 200, ends("\"content\":\" four\"},\"done\":false}\n")},
		{"no finish in a plain answer", "/api/chat", plain, Fault{AfterLines: 4, Stop: true}, 200,
			ends(`"content":"one two three four"},"done":false}`)},
		{"error midway", "/api/chat", chatJSON, Fault{AfterLines: 1, Error: "out of memory"}, 200, ends("\n{\"error\":\"out of memory\"}\n")},
		{"error at the start", "/api/chat", chatJSON, Fault{Error: "out of memory"}, 500, ends(`{"error":"out of memory"}`)},
		{"error in a plain answer", "/api/chat", plain, Fault{AfterLines: 1, Error: "out of memory"}, 500, ends(`{"error":"out of memory"}`)},
		{"error in an embedding", "/api/embed", embedJSON, Fault{Error: "out of memory"}, 500, ends(`{"error":"out of memory"}`)},
		{"error midway on v1", "/v1/chat/completions", v1, Fault{AfterLines: 4, Error: "out of memory"}, 200,
			ends(`"model":"","system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}` + "\n\n")},
		{"status", "/api/chat", chatJSON, Fault{Status: 503, Body: `{"error":"server busy"}`}, 503, ends(`{"error":"server busy"}`)},
		{"no JSON", "/api/chat", chatJSON, Fault{Body: "<html>", ContentType: "text/html"}, 200, ends("<html>")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := serve(t, faulty(tt.fault)).post(tt.path, tt.body)
				if r.status != tt.status || !tt.ok(r) {
					t.Errorf("status %d, error %v, body %q", r.status, r.err, r.body)
				}
			})
		})
	}
}

func TestCrashUnloads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serve(t, twoModels(func(o *OllamaConfig) {
			o.Script = func(n int, _ *http.Request, _ []byte) Fault { return Fault{AfterLines: 1, Crash: n == 1} }
		}))
		if got := c.chat().last(t).Error; got != crashed {
			t.Errorf("error %q", got)
		}
		if got := c.chat().last(t).Load; got != 304*ms {
			t.Errorf("load %v", got)
		}
	})
}

// A delay is the network's: it moves the answer and stands in none of its figures.
func TestDelayIsOutsideTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := serve(t, faulty(Fault{Delay: 3 * time.Second})).chat()
		if got := r.last(t); got.Load != 304*ms || got.Total != coldTotal || r.end != 3*time.Second+coldTotal {
			t.Errorf("%+v after %v", got, r.end)
		}
	})
}

func TestHangEndsWithTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serve(t, faulty(Fault{Hang: true}))
		c.http.Timeout = time.Minute
		if r := c.chat(); r.err == nil || r.end != time.Minute {
			t.Errorf("error %v after %v", r.err, r.end)
		}
	})
}

// Each read gets what one write held: here 7 bytes, 2 ms apart, and the é is cut in two somewhere.
func TestSmallWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := twoModels(func(o *OllamaConfig) {
			o.Models[0].Answer = func(string) string { return strings.Repeat("é", 40) }
			o.Models[0].TokensPerLine = 5
			o.Script = func(int, *http.Request, []byte) Fault { return Fault{WriteSize: 7, WriteGap: 2 * ms} }
		})
		r := serve(t, o).chat()
		if want := (len(r.body) + 6) / 7; len(r.reads) < want {
			t.Errorf("%d reads, want at least %d", len(r.reads), want)
		}
		text := ""
		for _, l := range r.lines(t) {
			text += l.Message.Content
		}
		if text != strings.Repeat("é", 40) {
			t.Errorf("text %q", text)
		}
		if gap := r.reads[1] - r.reads[0]; gap != 2*ms {
			t.Errorf("gap %v", gap)
		}
	})
}

// Over TCP a reset is one.
func TestResetOverTCP(t *testing.T) {
	server := httptest.NewServer(NewOllama(OllamaConfig{
		Models: []Model{{Name: "chat", TokenTime: 20 * ms}},
		Script: func(int, *http.Request, []byte) Fault { return Fault{AfterLines: 3, Reset: true} },
	}))
	defer server.Close()
	resp, err := server.Client().Post(server.URL+"/api/chat", "application/json", strings.NewReader(chatJSON))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	// The lines may be lost with the connection, or not.
	if _, err := io.Copy(io.Discard, resp.Body); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("error %v, want a reset", err)
	}
}

// Over TCP each line is there when it is written.
func TestLinesComeOneByOneOverTCP(t *testing.T) {
	server := httptest.NewServer(NewOllama(OllamaConfig{
		Models: []Model{{Name: "chat", TokenTime: time.Hour}},
	}))
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "POST", server.URL+"/api/chat", strings.NewReader(chatJSON))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if line, err := bufio.NewReader(resp.Body).ReadString('\n'); err != nil || !strings.Contains(line, `"content":"The"`) {
		t.Errorf("%q, %v", line, err)
	}
}
