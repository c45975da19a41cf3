package cli

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/ingest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
	"google.golang.org/protobuf/proto"
)

// running is a collector in this process.
type running struct {
	http, thrift, page string
	log                bytes.Buffer // to be read after stop
	stop               func() error
}

func runHere(t *testing.T, c collector) *running {
	t.Helper()
	c.ingest.GRPC, c.ingest.HTTP, c.ingest.Thrift, c.page = "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0"
	ctx, cancel := context.WithCancel(t.Context())
	stdout, out := io.Pipe()
	ended := make(chan error, 1)
	r := &running{}
	go func() {
		ended <- c.run(ctx, out, &r.log)
		out.Close()
	}()
	r.stop = func() error { cancel(); return <-ended }
	lines := bufio.NewReader(stdout)
	for _, l := range []struct {
		pattern string
		addr    *string
	}{
		{`OTLP/HTTP on (\S+),`, &r.http}, {`Jaeger Thrift on http://(\S+)/api/traces`, &r.thrift}, {`page on http://(\S+)/`, &r.page},
	} {
		line, err := lines.ReadString('\n')
		m := regexp.MustCompile(l.pattern).FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("said %q, %v, %v", line, err, r.stop())
		}
		*l.addr = m[1]
	}
	return r
}

func call(t *testing.T, method, url, contentType, authorization string, body []byte) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Close = true
	req.Header.Set("Content-Type", contentType)
	if authorization != "" {
		req.Header.Set("Authorization", authorization)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(answer)
}

func TestServeForOperators(t *testing.T) {
	db := filepath.Join(t.TempDir(), "test.db")
	r := runHere(t, collector{db: db, ingest: ingest.Config{Token: "secret"}})
	raw, err := proto.Marshal(otlptest.Questions(3))
	if err != nil {
		t.Fatal(err)
	}
	const basic = "Basic bWU6c2VjcmV0" // me:secret
	for _, c := range []struct {
		what, method, url, contentType, authorization string
		body                                          []byte
		want                                          int
	}{
		{"OTLP", "POST", r.http + "/v1/traces", "application/x-protobuf", "Bearer secret", raw, 200},
		{"OTLP without the token", "POST", r.http + "/v1/traces", "application/x-protobuf", "", raw, 401},
		{"OTLP with a password", "POST", r.http + "/v1/traces", "application/x-protobuf", basic, raw, 401},
		{"Thrift without the token", "POST", r.thrift + "/api/traces", "application/x-thrift", "", nil, 401},
		{"Thrift that is broken", "POST", r.thrift + "/api/traces", "application/x-thrift", "Bearer secret", []byte("x"), 400},
		{"health", "GET", r.page + "/healthz", "", "", nil, 200},
		{"readiness", "GET", r.page + "/readyz", "", "", nil, 200},
		{"metrics without the token", "GET", r.page + "/metrics", "", "", nil, 401},
		{"metrics", "GET", r.page + "/metrics", "", "Bearer secret", nil, 200},
		{"the page without the token", "GET", r.page + "/", "", "", nil, 401},
		{"the page with a password", "GET", r.page + "/", "", basic, nil, 200},
		{"the page with a token", "GET", r.page + "/", "", "Bearer secret", nil, 200},
	} {
		if status, answer := call(t, c.method, "http://"+c.url, c.contentType, c.authorization, c.body); status != c.want {
			t.Errorf("%s: status %d, want %d: %.200s", c.what, status, c.want, answer)
		}
	}
	_, metrics := call(t, "GET", "http://"+r.page+"/metrics", "", "Bearer secret", nil)
	for _, want := range []string{
		"ragtrace_spans_accepted_total 36\n", `ragtrace_requests_total{outcome="unauthorized"} 3` + "\n", `ragtrace_requests_total{outcome="unreadable"} 1` + "\n",
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("metrics hold no %s%s", want, metrics)
		}
	}
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"msg=\"without the token\" requests=3", "msg=refused spans=0 unreadable_requests=1", "msg=stopped"} {
		if !strings.Contains(r.log.String(), want) {
			t.Errorf("the log holds no %s:\n%s", want, &r.log)
		}
	}
	st, err := store.OpenReadOnly(db)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if n, err := st.Behind(t.Context()); err != nil || n != 0 {
		t.Errorf("%d traces are behind, %v, although serving ended in peace", n, err)
	}
}

func TestServePrunes(t *testing.T) {
	db := filepath.Join(t.TempDir(), "test.db")
	st, err := store.Open(db)
	if err != nil {
		t.Fatal(err)
	}
	appendQuestions(t, st, 10)
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	r := runHere(t, collector{db: db, limits: store.Limits{Traces: 4}})
	if st, err = store.OpenReadOnly(db); err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		s, err := st.Storage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if s.Traces == 4 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d traces are left, want 4", s.Traces)
		}
	}
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	if want := "msg=pruned traces=6 spans=72"; !strings.Contains(r.log.String(), want) {
		t.Errorf("the log holds no %s:\n%s", want, &r.log)
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{
		"1MB": 1e6, "500MB": 5e8, "2GB": 2e9, "1.5 GB": 15e8, "2GiB": 2 << 30, "64M": 64 << 20, "1TiB": 1 << 40, "2000000": 2e6, "1000 kB": 1e6,
		"": 0, "1": 0, "GB": 0, "-1GB": 0, "1XB": 0, "NaNGB": 0, "1e30GB": 0, "999kB": 0,
	} {
		if got, ok := bytesOf(text); got != want && ok || ok != (want > 0) {
			t.Errorf("%q is %d, %v, want %d", text, got, ok, want)
		}
	}
	for n, want := range map[int64]string{
		0: "0 B", 999: "999 B", 1000: "1.00 kB", 9994: "9.99 kB", 9995: "10.0 kB", 99_949: "99.9 kB", 99_950: "100 kB",
		999_499: "999 kB", 999_500: "1.00 MB", 123_456_789: "123 MB", 5e15: "5000 TB",
	} {
		if got := size(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}

func TestReadToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"": "", "secret": "secret", "@" + path: "secret"} {
		if got, err := readToken(text, text != ""); err != nil || string(got) != want {
			t.Errorf("%q is %q, %v", text, got, err)
		}
	}
}

func appendQuestions(t *testing.T, st *store.Store, n int) {
	t.Helper()
	raw, err := proto.Marshal(otlptest.Questions(n))
	if err != nil {
		t.Fatal(err)
	}
	batch, err := otlp.Split(raw)
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Append(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
}
