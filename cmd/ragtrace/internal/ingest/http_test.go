package ingest_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/ingest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
)

const (
	protobuf = "application/x-protobuf"
	jsonType = "application/json"
	oneSpan  = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174",
		"attributes":[{"key":"ragtrace.stage","value":{"stringValue":"question"}}]}]}]}]}`
)

func packed(t testing.TB, raw []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(raw)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zstdPacked(t testing.TB, raw []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	for part := range slices.Chunk(raw, 1000) {
		w.Write(part) // as a stream, whose head does not tell how much there will be
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// post sends a body, which is closed connection by connection so that goleak sees none.
func post(t testing.TB, s *ingest.Server, method, path string, header map[string]string, body io.Reader) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://"+s.HTTPAddr()+path, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Close = true
	for k, v := range header {
		req.Header.Set(k, v)
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
	return resp, answer
}

func TestHTTPTakesEveryEncoding(t *testing.T) {
	raw := marshal(t, otlptest.Full())
	for name, c := range map[string]struct {
		header map[string]string
		body   []byte
		answer string
	}{
		"protobuf":        {map[string]string{"Content-Type": protobuf}, raw, ""},
		"protobuf, gzip":  {map[string]string{"Content-Type": protobuf, "Content-Encoding": "gzip"}, packed(t, raw), ""},
		"json":            {map[string]string{"Content-Type": jsonType + "; charset=utf-8"}, []byte(oneSpan), "{}"},
		"json, gzip":      {map[string]string{"Content-Type": jsonType, "Content-Encoding": "gzip"}, packed(t, []byte(oneSpan)), "{}"},
		"protobuf, zstd":  {map[string]string{"Content-Type": protobuf, "Content-Encoding": "zstd"}, zstdPacked(t, raw), ""},
		"json, zstd":      {map[string]string{"Content-Type": jsonType, "Content-Encoding": "zstd"}, zstdPacked(t, []byte(oneSpan)), "{}"},
		"large, zstd":     {map[string]string{"Content-Type": protobuf, "Content-Encoding": "zstd"}, zstdPacked(t, marshal(t, otlptest.Questions(400))), ""},
		"named identity":  {map[string]string{"Content-Type": protobuf, "Content-Encoding": "identity"}, raw, ""},
		"large, protobuf": {map[string]string{"Content-Type": protobuf}, marshal(t, otlptest.Questions(400)), ""},
	} {
		t.Run(name, func(t *testing.T) {
			server, st := start(t)
			for _, length := range []string{"known", "unknown"} {
				var body io.Reader = bytes.NewReader(c.body)
				if length == "unknown" {
					body = io.MultiReader(body)
				}
				resp, answer := post(t, server, "POST", "/v1/traces", c.header, body)
				if resp.StatusCode != 200 || string(answer) != c.answer {
					t.Errorf("length %s: answer is %d %q, want 200 %q", length, resp.StatusCode, answer, c.answer)
				}
			}
			if len(stored(t, st)) == 0 {
				t.Error("nothing was stored")
			}
		})
	}
}

func TestHTTPStatus(t *testing.T) {
	raw := marshal(t, otlptest.Full())
	plain := map[string]string{"Content-Type": protobuf}
	gz := map[string]string{"Content-Type": protobuf, "Content-Encoding": "gzip"}
	zst := map[string]string{"Content-Type": protobuf, "Content-Encoding": "zstd"}
	large := strings.Repeat("x", 16<<20+1)
	for name, c := range map[string]struct {
		method, path string
		header       map[string]string
		body         io.Reader
		want         int
	}{
		"GET":                  {"GET", "/v1/traces", plain, nil, 405},
		"other path":           {"POST", "/v1/metrics", plain, bytes.NewReader(raw), 404},
		"no content type":      {"POST", "/v1/traces", nil, bytes.NewReader(raw), 415},
		"text":                 {"POST", "/v1/traces", map[string]string{"Content-Type": "text/plain"}, bytes.NewReader(raw), 415},
		"broken content type":  {"POST", "/v1/traces", map[string]string{"Content-Type": ";"}, bytes.NewReader(raw), 415},
		"unknown encoding":     {"POST", "/v1/traces", map[string]string{"Content-Type": protobuf, "Content-Encoding": "br"}, bytes.NewReader(raw), 415},
		"truncated protobuf":   {"POST", "/v1/traces", plain, bytes.NewReader(raw[:len(raw)-3]), 400},
		"no zstd":              {"POST", "/v1/traces", zst, bytes.NewReader(raw), 400},
		"truncated zstd":       {"POST", "/v1/traces", zst, bytes.NewReader(zstdPacked(t, raw)[:50]), 400},
		"zstd of much":         {"POST", "/v1/traces", zst, bytes.NewReader(zstdPacked(t, []byte(large))), 413},
		"zstd, too large":      {"POST", "/v1/traces", zst, strings.NewReader(large), 413},
		"no gzip":              {"POST", "/v1/traces", gz, bytes.NewReader(raw), 400},
		"truncated gzip":       {"POST", "/v1/traces", gz, bytes.NewReader(packed(t, raw)[:50]), 400},
		"empty JSON":           {"POST", "/v1/traces", map[string]string{"Content-Type": jsonType}, strings.NewReader(""), 400},
		"broken JSON":          {"POST", "/v1/traces", map[string]string{"Content-Type": jsonType}, strings.NewReader(oneSpan[:80]), 400},
		"two requests":         {"POST", "/v1/traces", map[string]string{"Content-Type": jsonType}, strings.NewReader(oneSpan + oneSpan), 400},
		"deep JSON":            {"POST", "/v1/traces", map[string]string{"Content-Type": jsonType}, strings.NewReader(`{"resourceSpans":` + strings.Repeat("[", 1<<20)), 400},
		"too large":            {"POST", "/v1/traces", plain, strings.NewReader(large), 413},
		"too large, unlabeled": {"POST", "/v1/traces", plain, io.MultiReader(strings.NewReader(large)), 413},
		"gzip bomb":            {"POST", "/v1/traces", gz, bytes.NewReader(packed(t, []byte(large))), 413},
	} {
		t.Run(name, func(t *testing.T) {
			server, st := start(t)
			resp, answer := post(t, server, c.method, c.path, c.header, c.body)
			if resp.StatusCode != c.want {
				t.Errorf("status is %d (%s), want %d", resp.StatusCode, answer, c.want)
			}
			if len(answer) == 0 {
				t.Error("no reason is given")
			}
			if c.want == 400 {
				var status spb.Status
				unmarshal := protojson.Unmarshal
				if resp.Header.Get("Content-Type") == protobuf {
					unmarshal = proto.Unmarshal
				}
				if err := unmarshal(answer, &status); err != nil || status.Message == "" || status.Code != 3 {
					t.Errorf("body is %q (%v), want a Status with code INVALID_ARGUMENT and a message", answer, err)
				}
			}
			if n := len(stored(t, st)); n != 0 {
				t.Errorf("%d spans stored of a refused request", n)
			}
		})
	}
}

func TestHTTPPartialSuccess(t *testing.T) {
	server, st := start(t)
	request := otlptest.Questions(1)
	spans := request.ResourceSpans[0].ScopeSpans[0].Spans
	spans[3].SpanId = nil
	spans[4].TraceId = make([]byte, 16)
	want := &coltracepb.ExportTraceServiceResponse{PartialSuccess: &coltracepb.ExportTracePartialSuccess{
		RejectedSpans: 2,
		ErrorMessage:  "1: span id is not 8 bytes or is zero; 1: trace id is not 16 bytes or is zero",
	}}
	resp, answer := post(t, server, "POST", "/v1/traces", map[string]string{"Content-Type": protobuf}, bytes.NewReader(marshal(t, request)))
	var got coltracepb.ExportTraceServiceResponse
	if err := proto.Unmarshal(answer, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, &got, protocmp.Transform()); diff != "" || resp.StatusCode != 200 {
		t.Errorf("status %d, answer (-want +got):\n%s", resp.StatusCode, diff)
	}
	if n := len(stored(t, st)); n != 10 {
		t.Errorf("%d spans stored, want the 10 good ones", n)
	}

	resp, answer = post(t, server, "POST", "/v1/traces", map[string]string{"Content-Type": jsonType},
		strings.NewReader(strings.Replace(oneSpan, "eee19b7ec3c1b174", "eee1", 1)))
	if err := protojson.Unmarshal(answer, &got); err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != 200 || got.PartialSuccess.GetRejectedSpans() != 1 {
		t.Errorf("answer in JSON is %d %s", resp.StatusCode, answer)
	}
	if c := server.Counts(); c.Spans != 10 || c.Refused != 3 || c.Requests != 2 {
		t.Errorf("counts are %+v", c)
	}
}

func TestACollectorThatCannotStoreSaysSo(t *testing.T) {
	server, st := start(t)
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	resp, answer := post(t, server, "POST", "/v1/traces", map[string]string{"Content-Type": protobuf}, bytes.NewReader(marshal(t, otlptest.Full())))
	if resp.StatusCode != 503 || resp.Header.Get("Retry-After") != "1" {
		t.Errorf("status is %d, retry after %q: %s", resp.StatusCode, resp.Header.Get("Retry-After"), answer)
	}
}

// FuzzHTTPBody sends bodies to the handler as they are, and checks that it answers with one of its statuses, whatever comes.
func FuzzHTTPBody(f *testing.F) {
	raw := marshal(f, otlptest.Full())
	f.Add(raw, false, false)
	f.Add(packed(f, raw), false, true)
	f.Add([]byte(oneSpan), true, false)
	f.Add(packed(f, []byte(oneSpan)), true, true)
	server, _ := start(f)
	f.Fuzz(func(t *testing.T, body []byte, isJSON, isPacked bool) {
		header := http.Header{"Content-Type": {protobuf}}
		if isJSON {
			header.Set("Content-Type", jsonType)
		}
		if isPacked {
			header.Set("Content-Encoding", "gzip")
		}
		status := handle(server, header, body)
		if status != 200 && status != 400 && status != 413 {
			t.Errorf("status is %d", status)
		}
	})
}

func handle(server *ingest.Server, header http.Header, body []byte) int {
	return handleAt(server, "/v1/traces", header, body)
}

func handleAt(server *ingest.Server, path string, header http.Header, body []byte) int {
	req := httptest.NewRequest("POST", path, bytes.NewReader(body))
	req.Header = header
	w := httptest.NewRecorder()
	server.ServeHTTP(w, req)
	return w.Code
}
