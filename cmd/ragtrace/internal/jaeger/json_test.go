package jaeger_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/jaeger"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

func spansOf(t *testing.T, text string) []model.Span {
	t.Helper()
	var all []model.Span
	for batch, err := range jaeger.ReadJSON(strings.NewReader(text)) {
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

func TestOldJaegersJSON(t *testing.T) {
	got := spansOf(t, `{"data":[{"traceID":"1f","spans":[
		{"traceID":"1f","spanID":"a","operationName":"root","startTime":5,"duration":2,"process":{"serviceName":"app"},"tags":[{"key":"error","value":"true"},{"key":"n","value":7}]},
		{"traceID":"1f","spanID":"b","parentSpanID":"a","references":[{"refType":"CHILD_OF","traceID":"1f","spanID":"a"},{"refType":"CHILD_OF","traceID":"2f","spanID":"c"}],
		 "operationName":"child","startTime":6,"duration":0,"processID":"p9","tags":[{"key":"span.kind","type":"string","value":"odd"},{"key":"error","type":"bool","value":false}],
		 "logs":[{"timestamp":7,"fields":[{"key":"message","type":"string","value":"m"},{"key":"event","type":"string","value":"e"},{"key":"event","type":"string","value":"f"}]}]}
		],"processes":{}}],"total":1,"errors":null}`)
	scope := &model.Scope{}
	want := []model.Span{
		{
			TraceID: model.TraceID{15: 0x1f}, SpanID: model.SpanID{7: 0xa}, Name: "root", Start: 5000, End: 7000, Status: model.StatusError,
			Attrs: model.Attrs{"n": "7"}, Resource: &model.Resource{Attrs: model.Attrs{"service.name": "app"}}, Scope: scope,
		},
		{
			TraceID: model.TraceID{15: 0x1f}, SpanID: model.SpanID{7: 0xb}, ParentID: model.SpanID{7: 0xa}, Name: "child", Start: 6000, End: 6000,
			Attrs:  model.Attrs{"span.kind": "odd", "error": false},
			Events: []model.Event{{Time: 7000, Name: "e", Attrs: model.Attrs{"message": "m", "event": "f"}}},
			Links:  []model.Link{{TraceID: model.TraceID{15: 0x2f}, SpanID: model.SpanID{7: 0xc}, Attrs: model.Attrs{"opentracing.ref_type": "child_of"}}}, Resource: &model.Resource{}, Scope: scope,
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
}

func TestBrokenJaegerJSON(t *testing.T) {
	span := func(fields string) string {
		return `{"traceID":"1f","spanID":"a","operationName":"o","startTime":1,"duration":1` + fields + `}`
	}
	trace := func(spans ...string) string {
		return `{"traceID":"1f","spans":[` + strings.Join(spans, ",\n") + `]}`
	}
	for name, c := range map[string]struct {
		text  string
		spans int
		err   string
	}{
		"no such trace":   {`{"data":null,"errors":[{"code":404,"msg":"trace not found"}]}`, 0, "line 1: jaeger had an error: trace not found"},
		"no list":         {`{"data":{}}`, 0, "line 1: found { where the traces were due"},
		"a text":          {`{"data":"none"}`, 0, "line 1: found none where the traces were due"},
		"cut off":         {`{"data":[` + trace(span("")) + ",\n" + trace(span(""))[:40], 1, "line 2: unexpected EOF"},
		"no more":         {`{"data":[` + trace(span("")) + "]\n", 1, "line 2: unexpected EOF"},
		"no spans":        {`{"data":[{"spans":7}]}`, 0, "line 1: json: cannot unmarshal number"},
		"an id":           {`{"data":[` + trace(span(`,"parentSpanID":"x"`), span("")) + `]}`, 1, `line 2: trace 1f: span 1: "x" is no id of 16 hex digits`},
		"a long id":       {`{"data":[` + trace(span(`,"references":[{"refType":"CHILD_OF","traceID":"1f","spanID":"00000000000000000"}]`)) + `]}`, 0, "line 1: trace 1f: span 1: "},
		"a time":          {`{"data":[` + trace(span(`,"startTime":-1`)) + `]}`, 0, "line 1: trace 1f: span 1: json"},
		"a far time":      {`{"data":[` + trace(span(`,"startTime":18446744073709551615`)) + `]}`, 0, "line 1: trace 1f: span 1: a time of 18446744073709551615 µs"},
		"a tag":           {`{"data":[` + trace(span(`,"tags":[{"key":"n","type":"int64","value":"many"}]`)) + `]}`, 0, `line 1: trace 1f: span 1: tag "n": `},
		"a field of logs": {`{"data":[` + trace(span(`,"logs":[{"timestamp":1,"fields":[{"key":"n","type":"bool","value":1}]}]`)) + `]}`, 0, `line 1: trace 1f: span 1: tag "n": `},
		"a process":       {`{"data":[{"traceID":"1f","spans":[` + span(`,"processID":"p1"`) + `],"processes":{"p1":{"serviceName":"a","tags":[{"key":"k","type":"binary","value":"%"}]}}}]}`, 1, `line 1: trace 1f: span 1: process p1: tag "k": `},
	} {
		t.Run(name, func(t *testing.T) {
			spans := 0
			var errs []string
			for batch, err := range jaeger.ReadJSON(strings.NewReader(c.text)) {
				if err != nil {
					errs = append(errs, err.Error())
				} else {
					spans += len(batch.Spans)
				}
			}
			if spans != c.spans || len(errs) != 1 || !strings.HasPrefix(errs[0], c.err) {
				t.Errorf("%d spans, errors %q, want %d and %s", spans, errs, c.spans, c.err)
			}
		})
	}
}

func FuzzReadJSON(f *testing.F) {
	f.Add(`{"data":[{"traceID":"1f","spans":[{"traceID":"1f","spanID":"a","startTime":1,"duration":1,"references":[{"refType":"CHILD_OF","traceID":"1f","spanID":"b"}],
		"tags":[{"key":"n","type":"int64","value":7},{"key":"b","type":"binary","value":"AP8="}],"logs":[{"timestamp":1,"fields":[]}],"processID":"p1"}],
		"processes":{"p1":{"serviceName":"a","tags":[]}}}],"errors":null}`)
	f.Fuzz(func(t *testing.T, text string) {
		for batch, err := range jaeger.ReadJSON(strings.NewReader(text)) {
			if err != nil {
				continue
			}
			if _, err := batch.Decode(); err != nil {
				t.Fatalf("what was kept cannot be decoded: %v", err)
			}
		}
	})
}
