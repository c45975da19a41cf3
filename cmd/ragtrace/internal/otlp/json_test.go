package otlp_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
)

func readAll(text string) (batches []*otlp.Batch, err error) {
	for batch, err := range otlp.ReadJSON(strings.NewReader(text)) {
		if err != nil {
			return batches, err
		}
		batches = append(batches, batch)
	}
	return batches, nil
}

func TestJSONSaysTheSameAsProtobuf(t *testing.T) {
	batches, err := readAll(fullJSON)
	if err != nil {
		t.Fatal(err)
	}
	if len(batches) != 1 || len(batches[0].Spans) != 1 {
		t.Fatalf("got %+v, want one request of one span", batches)
	}
	spans, err := batches[0].Decode()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]model.Span{full}, spans); diff != "" {
		t.Errorf("decoded (-want +got):\n%s", diff)
	}
	// What is not in model.Span is kept as well.
	got := batches[0].Spans[0]
	var span tracepb.Span
	var scope tracepb.ScopeSpans
	var resource tracepb.ResourceSpans
	for raw, m := range map[*[]byte]proto.Message{&got.OTLP: &span, &got.Scope.OTLP: &scope, &got.Resource.OTLP: &resource} {
		if err := proto.Unmarshal(*raw, m); err != nil {
			t.Fatal(err)
		}
	}
	scope.Spans = []*tracepb.Span{&span}
	resource.ScopeSpans = []*tracepb.ScopeSpans{&scope}
	if diff := cmp.Diff(otlptest.Full().ResourceSpans[0], &resource, protocmp.Transform()); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
}

const (
	oneSpan = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174"}]}]}]}`
	noSpans = `{"resourceSpans":null}`
)

func TestReadJSONReadsRequestsInARow(t *testing.T) {
	text := oneSpan + "\n" + noSpans + "\n\n" + fullJSON + oneSpan + oneSpan
	batches, err := readAll(text)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range batches {
		got = append(got, fmt.Sprintf("line %d: %d", b.Line, len(b.Spans)))
	}
	// The long one begins on line 4 and its first key stands on line 5; it has 40 lines.
	last := 4 + strings.Count(fullJSON, "\n")
	want := []string{"line 1: 1", "line 2: 0", "line 5: 1", fmt.Sprintf("line %d: 1", last), fmt.Sprintf("line %d: 1", last)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestJSONSpansAreRefusedOneByOne(t *testing.T) {
	spans := []string{
		`{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174"}`,
		`{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"0000000000000000"}`,
		`{"traceId":"5b8efff798038103d269b633813fc60c"}`,
		`{"traceId":"5b8e","spanId":"eee19b7ec3c1b174"}`,
		`{"traceId":"W47/95gDgQPSabYzgT/GDA==","spanId":"7uGbfsPBsXQ="}`, // base64, as a plain protobuf library writes it
		`{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee1"}`,
		`{"traceId":5,"spanId":"eee19b7ec3c1b174"}`,
		`"span"`,
		`null`,
		`{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b175","startTimeUnixNano":"soon"}`,
	}
	batches, err := readAll(`{"resourceSpans":[{"scopeSpans":[{"spans":[` + strings.Join(spans, ",") + `]}]}]}`)
	if err != nil {
		t.Fatal(err)
	}
	n, reasons := batches[0].Refusal()
	// The null has no id at all.
	want := "3: malformed; 3: span id is not 8 bytes or is zero; 3: trace id is not 16 bytes or is zero"
	if len(batches[0].Spans) != 1 || n != 9 || reasons != want {
		t.Errorf("kept %d and refused %d: %s; want 1 and 9: %s", len(batches[0].Spans), n, reasons, want)
	}
}

func TestReadJSONNamesTheLine(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"syntax":      {oneSpan + "\n" + oneSpan + "\n{\"resourceSpans\":[}\n", "line 3: invalid character '}'"},
		"in a string": {"{\n\"resourceSpans\":\n\"a\tb\"}", "line 3: "},
		"in a value":  {"{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[\n{\n\n\"traceId\" 5}]}]}]}", "line 4: "},
		"too deep":    {"{\"a\":" + strings.Repeat("[", 20000), "line 1: "},
		"cut off":     {oneSpan + "\n" + oneSpan[:40], "line 2: unexpected EOF"},
		"wrong type":  {"\n{\"resourceSpans\": 5}", "line 2: found 5 where [ was due"},
		"no object":   {"[]", "line 1: found [ where { was due"},
		"other JSON":  {"{\"data\":[]}", `line 1: "data" where resourceSpans was due`},
		"resource":    {`{"resourceSpans":[{"resource":7}]}`, "line 1: resource: "},
		"scope":       {`{"resourceSpans":[{"scopeSpans":[{"scope":[]}]}]}`, "line 1: scope: "},
		"no JSON":     {"<html>", "line 1: invalid character '<'"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readAll(c.text)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("error is %v, want %s", err, c.want)
			}
		})
	}
	if batches, err := readAll("  \n"); err != nil || len(batches) != 0 {
		t.Errorf("an empty file is legal; got %v", err)
	}
}

func FuzzReadJSON(f *testing.F) {
	f.Add([]byte(fullJSON))
	f.Add([]byte(oneSpan + noSpans))
	f.Fuzz(func(t *testing.T, text []byte) {
		for batch, err := range otlp.ReadJSON(bytes.NewReader(text)) {
			if err != nil {
				return
			}
			spans, err := batch.Decode()
			if err != nil {
				t.Fatalf("what was kept cannot be decoded: %v", err)
			}
			for i, s := range spans {
				if s.TraceID != batch.Spans[i].TraceID || s.TraceID.IsZero() || s.SpanID.IsZero() {
					t.Fatalf("ids differ or are zero: %+v", s)
				}
			}
		}
	})
}
