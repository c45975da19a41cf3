package ask

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/timings"
	"github.com/ragtrace/ragtrace/stages/fakeserver"
	"github.com/ragtrace/ragtrace/stages/recording"
)

// A served case is an exchange with what it has to say.
type servedCase struct {
	name   string
	rec    *recording.Recording
	expect map[string]any
}

func servedCases(t *testing.T) []servedCase {
	files, err := filepath.Glob("../../../../stages/recording/testdata/timing/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases")
	}
	var all []servedCase
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c := servedCase{name: strings.TrimSuffix(filepath.Base(file), ".json")}
		if c.rec, err = recording.Read(bytes.NewReader(raw)); err != nil {
			t.Fatal(err)
		}
		var more struct {
			Case   int            `json:"case"`
			Expect map[string]any `json:"expect"`
		}
		if err := json.Unmarshal(raw, &more); err != nil {
			t.Fatal(err)
		}
		c.expect = more.Expect
		if more.Case == 53 { // an older rule's flag: the arrivals agree with the server's stamps
			c.expect["flags"] = []any{}
		}
		all = append(all, c)
	}
	return all
}

// player serves the cases, the i-th at /i followed by its path: each write, flushed, at its moment after the request came.
func player(cases []servedCase) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrival := time.Now()
		io.Copy(io.Discard, r.Body)
		i, err := strconv.Atoi(r.Header.Get("Case"))
		if err != nil {
			return // only to connect
		}
		rec := cases[i].rec
		for name, value := range rec.Response.Headers {
			if name = strings.ToLower(name); name != "transfer-encoding" && name != "content-length" {
				w.Header().Set(name, value)
			}
		}
		var out io.Writer = w
		flush := http.NewResponseController(w).Flush
		if r.Header.Get("Pack") != "" && rec.Response.Headers["content-encoding"] == "" {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			defer z.Close()
			plain := flush
			out, flush = z, func() error { z.Flush(); return plain() }
		}
		until := func(at recording.Millis) { time.Sleep(time.Until(arrival.Add(at.Duration()))) }
		for n, write := range rec.Response.Writes {
			until(write.At)
			if n == 0 {
				w.WriteHeader(*rec.Response.Status)
			}
			if _, err := out.Write(bytes.Repeat(bytesOf(&write), max(write.Repeat, 1))); err != nil {
				return
			}
			flush()
		}
		if rec.Response.EOF != nil {
			until(*rec.Response.EOF)
		}
		if rec.ClientClosed != nil {
			<-r.Context().Done()
		}
	})
}

// withMethod sends with the method of a case.
type withMethod struct {
	rt     http.RoundTripper
	method string
}

func (m withMethod) RoundTrip(r *http.Request) (*http.Response, error) {
	if m.method != "" {
		r.Method = m.method
	}
	return m.rt.RoundTrip(r)
}

// play asks for the i-th case and returns what follows from what the client saw.
func play(ctx context.Context, rt http.RoundTripper, base string, i int, c *servedCase, pack bool) (map[string]any, error) {
	u, err := url.Parse(base + c.rec.RequestPath)
	if err != nil {
		return nil, err
	}
	h := http.Header{"Content-Type": {"application/json"}, "Case": {strconv.Itoa(i)}}
	if pack {
		h.Set("Pack", "gzip")
	}
	if c.rec.ClientClosed != nil {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, c.rec.ClientClosed.Duration())
		defer stop()
	}
	rec, err := exchange(ctx, withMethod{rt, c.rec.Method}, u, h, c.rec.RequestBody)
	if err != nil && c.rec.ClientClosed == nil {
		return nil, err
	}
	b, err := json.Marshal(timings.FromRecording(c.name, rec).JSON())
	if err != nil {
		return nil, err
	}
	var got map[string]any
	return got, json.Unmarshal(b, &got)
}

// tolerance is in milliseconds: the clients of the cases took up to one to send their requests, which here takes none.
const tolerance = 1.001

// differs lists the keys of want that got has otherwise: times by more than the tolerance, anything else at all.
func differs(want, got map[string]any) (diffs []string) {
	for key, w := range want {
		if key == "do_not" || key == "tpot_note" { // remarks
			continue
		}
		g := got[key]
		var same bool
		switch w := w.(type) {
		case float64:
			n, ok := g.(float64) // a span of time that came to nothing is absent
			same = ok && n == w || strings.HasSuffix(key, "_ms") && math.Abs(n-w) <= tolerance
		case []any:
			same = sameList(w, g)
		default:
			same = fmt.Sprint(w) == fmt.Sprint(g)
		}
		if !same {
			diffs = append(diffs, fmt.Sprintf("%s is %v, want %v", key, g, w))
		}
	}
	sort.Strings(diffs)
	return diffs
}

// sameList compares flags, or spans by name, order and moments.
func sameList(want []any, got any) bool {
	list, ok := got.([]any)
	if !ok || len(list) != len(want) {
		return false
	}
	for i := range want {
		switch w := want[i].(type) {
		case []any:
			if !sameList(w, list[i]) {
				return false
			}
		case float64:
			if n, ok := list[i].(float64); !ok || math.Abs(n-w) > tolerance {
				return false
			}
		default:
			if w != list[i] {
				return false
			}
		}
	}
	return true
}

// TestServedCases plays every published case by a server of net/http, over HTTP/1.1, HTTP/2 with TLS and without, plain and
// packed, on connections that are open already. They are in memory, and the clock is synctest's: what else the machine has
// to do is not measured along.
func TestServedCases(t *testing.T) {
	cases := servedCases(t)
	for _, protocol := range []string{"HTTP/1.1", "HTTP/2", "h2c"} {
		t.Run(protocol, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := httptest.NewUnstartedServer(player(cases))
				server.Listener.Close()
				listener, dial := fakeserver.Listen()
				server.Listener = listener
				rt, base := newTransport(2*len(cases)), "http://example.com"
				switch protocol {
				case "HTTP/1.1":
					server.Start()
				case "HTTP/2":
					server.EnableHTTP2 = true
					server.StartTLS()
					rt = server.Client().Transport.(*http.Transport)
					rt.DisableCompression = true
					base = "https://example.com" // which the server's certificate is for
				case "h2c":
					var p http.Protocols
					p.SetUnencryptedHTTP2(true)
					server.Config.Protocols, rt.Protocols = &p, &p
					server.Start()
				}
				rt.DialContext = dial
				defer server.Close()
				defer rt.CloseIdleConnections()
				connect(t, rt, base, 2*len(cases))

				var wg sync.WaitGroup
				for i := range cases {
					for _, pack := range []bool{false, true} {
						wg.Go(func() {
							got, err := play(t.Context(), rt, base, i, &cases[i], pack)
							if err != nil {
								t.Errorf("%s: %v", cases[i].name, err)
								return
							}
							if diffs := differs(cases[i].expect, got); len(diffs) > 0 {
								t.Errorf("%s, packed %t:\n\t%s", cases[i].name, pack, strings.Join(diffs, "\n\t"))
							}
						})
					}
				}
				wg.Wait()
			})
		})
	}
}

// connect opens so many connections, or one where one is enough.
func connect(t *testing.T, rt http.RoundTripper, base string, n int) {
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, base, nil)
			resp, err := rt.RoundTrip(req)
			if err != nil {
				t.Error(err)
				return
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		})
	}
	wg.Wait()
}
