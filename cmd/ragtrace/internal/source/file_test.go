package source_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/source"
)

// oneSpan is a request in OTLP/JSON whose span has the number n for its id.
func oneSpan(n int) string {
	return fmt.Sprintf(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"%016x"}]}]}]}`, n)
}

// read is what is in a file: the last byte of the spans' ids, and how the errors begin.
func read(t *testing.T, r io.Reader) (ids []int, errs []string) {
	t.Helper()
	for batch, err := range source.ReadFile(r) {
		if err != nil {
			errs = append(errs, err.Error())
			continue
		}
		for _, s := range batch.Spans {
			ids = append(ids, int(s.SpanID[7]))
		}
		if n, reasons := batch.Refusal(); n > 0 {
			errs = append(errs, fmt.Sprintf("line %d: refused %s", batch.Line, reasons))
		}
	}
	return ids, errs
}

func TestOTLPJSON(t *testing.T) {
	pretty := strings.NewReplacer("{", "{\n  ", "[", "[\n  ").Replace(oneSpan(7)) // 7 brackets, so 8 lines
	for name, c := range map[string]struct {
		text string
		ids  []int
		errs []string
	}{
		"one":                     {oneSpan(1), []int{1}, nil},
		"one a line":              {oneSpan(1) + "\n" + oneSpan(2) + "\r\n\n" + oneSpan(3) + "\n", []int{1, 2, 3}, nil},
		"two on a line":           {oneSpan(1) + oneSpan(2) + "\n" + oneSpan(3), []int{1, 2, 3}, nil},
		"pretty":                  {"\n\n" + pretty + "\n" + pretty + "\n" + oneSpan(1), []int{7, 7, 1}, nil},
		"nothing":                 {"", nil, nil},
		"white space":             {" \n\n", nil, nil},
		"an empty request":        {"{}", nil, nil},
		"other names":             {strings.ReplaceAll(strings.ReplaceAll(oneSpan(1), "resourceS", "resource_s"), "scopeS", "scope_s"), []int{1}, nil},
		"a line is cut off":       {oneSpan(1) + "\n" + oneSpan(2)[:60] + "\n" + oneSpan(3) + "\n" + oneSpan(4), []int{1, 3, 4}, []string{"line 2: invalid character '\\n' in string literal"}},
		"two lines are cut off":   {oneSpan(1)[:18] + "\n" + oneSpan(2)[:60] + "\n" + oneSpan(3) + "\n", []int{3}, []string{"line 1: unexpected EOF", "line 2: invalid character"}},
		"the last is cut off":     {oneSpan(1) + "\n" + oneSpan(2)[:60], []int{1}, []string{"line 2: unexpected EOF"}},
		"the first has no head":   {oneSpan(1)[40:] + "\n" + oneSpan(2) + "\n" + oneSpan(3), []int{2, 3}, []string{"line 1: found "}},
		"a pretty one is broken":  {pretty + "\n" + pretty[:len(pretty)-3] + "\n" + oneSpan(1), []int{7, 1}, []string{"line 16: unexpected EOF"}},
		"a line of something":     {oneSpan(1) + "\nwarning: disk full\n" + oneSpan(2) + "\n", []int{1, 2}, []string{"line 2: invalid character 'w'"}},
		"logs and metrics beside": {`{"resourceLogs":[]}` + "\n" + oneSpan(1) + "\n" + `{"resourceMetrics":[]}` + "\n" + oneSpan(2), []int{1, 2}, []string{`line 1: "resourceLogs" where resourceSpans was due`, `line 3: "resourceMetrics"`}},
		"a span without an id":    {oneSpan(1) + "\n" + oneSpan(0) + "\n" + oneSpan(2), []int{1, 2}, []string{"line 2: refused 1: span id"}},
		"a text":                  {"hello\n", nil, []string{`neither OTLP nor Jaeger's JSON (it begins with "hello\n")`}},
		"a list":                  {"[1]", nil, []string{"neither OTLP nor Jaeger's JSON"}},
		"a page":                  {"<!DOCTYPE html>", nil, []string{"neither OTLP nor Jaeger's JSON"}},
		"other JSON":              {`{"a": 1}`, nil, []string{`line 1: "a" where resourceSpans was due`}},
		"broken from the start":   {`{resourceSpans`, nil, []string{"line 1: invalid character 'r'"}},
		"null bytes":              {"\x00\x00\x00\x00\x00", nil, []string{"neither OTLP nor Jaeger's JSON"}},
	} {
		t.Run(name, func(t *testing.T) {
			for packing, pack := range packings {
				ids, errs := read(t, bytes.NewReader(pack(t, []byte(c.text))))
				if diff := cmp.Diff(c.ids, ids, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("%s: spans (-want +got):\n%s", packing, diff)
				}
				if len(errs) != len(c.errs) {
					t.Fatalf("%s: errors %q, want %q", packing, errs, c.errs)
				}
				for i, want := range c.errs {
					if !strings.HasPrefix(errs[i], want) {
						t.Errorf("%s: error is %q, want %q ...", packing, errs[i], want)
					}
				}
			}
		})
	}
}

var packings = map[string]func(testing.TB, []byte) []byte{
	"plain": func(_ testing.TB, b []byte) []byte { return b },
	"gzip": func(t testing.TB, b []byte) []byte {
		var packed bytes.Buffer
		return pack(t, gzip.NewWriter(&packed), &packed, b)
	},
	"zstd": func(t testing.TB, b []byte) []byte {
		var packed bytes.Buffer
		w, err := zstd.NewWriter(&packed)
		if err != nil {
			t.Fatal(err)
		}
		return pack(t, w, &packed, b)
	},
}

func pack(t testing.TB, w io.WriteCloser, packed *bytes.Buffer, b []byte) []byte {
	t.Helper()
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func TestBrokenPacking(t *testing.T) {
	text := strings.Repeat(oneSpan(1)+"\n", 5000)
	for _, packing := range []string{"gzip", "zstd"} {
		whole := packings[packing](t, []byte(text))
		ids, errs := read(t, bytes.NewReader(whole[:len(whole)-5]))
		if len(ids) == 0 || len(errs) != 1 || !strings.Contains(errs[0], packing+": unexpected EOF") {
			t.Errorf("%s, cut off: %d spans, errors %q", packing, len(ids), errs)
		}
		_, errs = read(t, bytes.NewReader(whole[:6]))
		if len(errs) != 1 || !strings.Contains(errs[0], packing+": ") {
			t.Errorf("%s, only its head: errors %q", packing, errs)
		}
	}
}

func TestAFileThatCannotBeRead(t *testing.T) {
	failing := func(text string) io.Reader {
		return io.MultiReader(strings.NewReader(text), errReader{})
	}
	for _, text := range []string{"", oneSpan(1), oneSpan(1) + "\n", oneSpan(1)[:50], `{"data":[`, `{"result":{`, "\n\x03\x00", "\x00\x00\x00\x03\n"} {
		_, errs := read(t, failing(text))
		if len(errs) != 1 || !strings.HasSuffix(errs[0], "the disk is gone") {
			t.Errorf("%q: errors %q", text, errs)
		}
	}
}

type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

func marshal(t testing.TB, m proto.Message) []byte {
	t.Helper()
	raw, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// framed is content as the Collector's file exporter writes it.
func framed(contents ...[]byte) []byte {
	var file []byte
	for _, c := range contents {
		file = append(binary.BigEndian.AppendUint32(file, uint32(len(c))), c...)
	}
	return file
}

func spansOf(t testing.TB, file []byte) []model.Span {
	t.Helper()
	var all []model.Span
	for batch, err := range source.ReadFile(bytes.NewReader(file)) {
		if err != nil {
			t.Fatal(err)
		}
		spans, err := batch.Decode()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, spans...)
	}
	return all
}

func TestBinaryFiles(t *testing.T) {
	full, questions := marshal(t, otlptest.Full()), marshal(t, otlptest.Questions(3))
	var want []model.Span
	for _, raw := range [][]byte{full, questions} {
		batch, err := otlp.Split(raw)
		if err != nil {
			t.Fatal(err)
		}
		spans, err := batch.Decode()
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, spans...)
	}
	zip := func(b []byte) []byte { return packings["zstd"](t, b) }
	for name, file := range map[string][]byte{
		"one request after another": append(bytes.Clone(full), questions...),
		"with lengths":              framed(full, questions),
		"with lengths, each packed": framed(zip(full), zip(questions)),
		"with lengths, some packed": framed(full, zip(questions)),
		"all of it packed":          packings["gzip"](t, framed(full, questions)),
		"all of one packed":         packings["zstd"](t, append(bytes.Clone(full), questions...)),
	} {
		if diff := cmp.Diff(want, spansOf(t, file)); diff != "" {
			t.Errorf("%s: spans (-want +got):\n%s", name, diff)
		}
	}
	if got := spansOf(t, framed(zip([]byte(oneSpan(1))), []byte(oneSpan(2)))); len(got) != 2 {
		t.Errorf("of JSON with lengths: %d spans, want 2", len(got))
	}
}

func TestBrokenBinaryFiles(t *testing.T) {
	one := marshal(t, otlptest.Request(otlptest.Full().ResourceSpans[0].ScopeSpans[0].Spans...))
	broken := protowire.AppendBytes([]byte{resourceSpansTag}, []byte{0x0a, 0x7f, 1}) // a resource that is longer than its place
	for name, c := range map[string]struct {
		file  []byte
		spans int
		err   string
	}{
		"cut off":                      {append(bytes.Clone(one), one[:50]...), 1, fmt.Sprintf("byte %d: unexpected EOF", len(one))},
		"a broken resource":            {append(bytes.Clone(one), append(broken, one...)...), 2, fmt.Sprintf("byte %d: resource: ", len(one))},
		"something else":               {append(bytes.Clone(one), "\x20hello"...), 1, fmt.Sprintf("byte %d: no request of OTLP goes on like this", len(one))},
		"larger than memory":           {protowire.AppendVarint([]byte{resourceSpansTag}, 1<<40), 0, "byte 0: a request of 1099511627776 bytes is more than"},
		"with lengths, cut off":        {framed(one, one)[:len(one)+50], 1, fmt.Sprintf("byte %d: unexpected EOF", len(one)+4)},
		"with lengths, cut in one":     {framed(one, one)[:len(one)+6], 1, fmt.Sprintf("byte %d: unexpected EOF", len(one)+4)},
		"with lengths, broken":         {framed(one, broken, one), 2, fmt.Sprintf("byte %d: resource: ", len(one)+4)},
		"with lengths, broken packing": {framed(one, []byte(zstdMagic+"...."), one), 2, fmt.Sprintf("byte %d: zstd: ", len(one)+4)},
		"with lengths, JSON":           {framed([]byte("{]"), one), 1, "byte 0: line 1: "},
	} {
		t.Run(name, func(t *testing.T) {
			ids, errs := read(t, bytes.NewReader(c.file))
			if len(ids) != c.spans || len(errs) != 1 || !strings.HasPrefix(errs[0], c.err) {
				t.Errorf("%d spans, errors %q, want %d and %s", len(ids), errs, c.spans, c.err)
			}
		})
	}
}

const (
	resourceSpansTag = 0x0a
	zstdMagic        = "\x28\xb5\x2f\xfd"
)

// What Jaeger v2.13 made of testdata/sent.json. Its own JSON knows no lists and, of the ids, no leading zeros.
func TestJaegersJSON(t *testing.T) {
	file := func(name string) []byte {
		b, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	want := spansOf(t, file("sent.json"))
	if len(want) != 3 {
		t.Fatalf("%d spans were sent, want 3", len(want))
	}
	if diff := cmp.Diff(want, spansOf(t, file("api-v3.json"))); diff != "" {
		t.Errorf("/api/v3/traces (-want +got):\n%s", diff)
	}
	want[1].Attrs["array"] = `["a",1]`
	want[1].Links[0].Attrs = model.Attrs{"opentracing.ref_type": "follows_from"}
	if diff := cmp.Diff(want, spansOf(t, file("api-traces.json"))); diff != "" {
		t.Errorf("/api/traces (-want +got):\n%s", diff)
	}
}

func TestReadingCanBeLeft(t *testing.T) {
	one := marshal(t, otlptest.Full())
	for name, file := range map[string][]byte{
		"lines":    []byte(oneSpan(1) + "\n" + oneSpan(2)),
		"protobuf": append(bytes.Clone(one), one...),
		"lengths":  framed(one, one),
		"Jaeger":   []byte(`{"data":[{"spans":[]},{"spans":[]}]}`),
		"answer":   []byte(`{"result":` + oneSpan(1) + `}{"result":` + oneSpan(2) + `}`),
	} {
		n := 0
		for range source.ReadFile(bytes.NewReader(file)) {
			n++
			break
		}
		if n != 1 {
			t.Errorf("%s: %d results, want 1", name, n)
		}
	}
}

func FuzzReadFile(f *testing.F) {
	for _, name := range []string{"sent.json", "api-traces.json", "api-v3.json"} {
		b, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	one := marshal(f, otlptest.Full())
	f.Add(one)
	f.Add(framed(one, packings["zstd"](f, one)))
	f.Add(packings["gzip"](f, []byte(oneSpan(1)+"\n{\n"+oneSpan(2))))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for batch, err := range source.ReadFile(io.LimitReader(bytes.NewReader(raw), 1<<20)) {
			if (batch == nil) == (err == nil) {
				t.Fatalf("batch %v and error %v", batch, err)
			}
			if err != nil {
				continue
			}
			spans, err := batch.Decode()
			if err != nil {
				t.Fatalf("what was kept cannot be decoded: %v", err)
			}
			for _, s := range spans {
				if s.TraceID.IsZero() || s.SpanID.IsZero() || s.Resource == nil || s.Scope == nil {
					t.Fatalf("span %+v", s)
				}
			}
		}
	})
}

// TestWhereAFileWasCutOff: of one long line, the line alone would not tell.
func TestWhereAFileWasCutOff(t *testing.T) {
	const cut = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0102`
	for _, before := range []string{"", `{"resourceSpans":[]}` + "\n"} {
		var last error
		for _, err := range source.ReadFile(strings.NewReader(before + cut)) {
			if err != nil {
				last = err
			}
		}
		want := fmt.Sprintf("line %d: unexpected EOF at byte %d", 1+strings.Count(before, "\n"), len(before+cut))
		if last == nil || last.Error() != want {
			t.Errorf("behind %q: %v, want %s", before, last, want)
		}
	}
}
