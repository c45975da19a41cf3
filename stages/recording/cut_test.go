package recording

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// exchanges are the published cases and the recorded exchanges.
func exchanges(t *testing.T) map[string]*Recording {
	t.Helper()
	all := make(map[string]*Recording)
	for _, file := range slices.Concat(glob(t, "testdata/timing/*.json"), glob(t, "testdata/shapes/*.json"), glob(t, "testdata/recorded/*.json")) {
		if strings.HasSuffix(file, ".facts.json") {
			continue
		}
		rec, err := Read(bytes.NewReader(read(t, file)))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all[caseName(file)] = rec
	}
	return all
}

// TestEveryCut delivers each read byte by byte, at its moment: every cut at once, and nothing may change.
func TestEveryCut(t *testing.T) {
	for name, rec := range exchanges(t) {
		t.Run(name, func(t *testing.T) {
			want := asMap(t, NewResult(rec.Replay()))
			cut := *rec
			cut.Response.Writes = nil
			for _, w := range rec.Response.Writes {
				body := w.bytes()
				for i := range body {
					cut.Response.Writes = append(cut.Response.Writes, Write{At: w.At, Base64: body[i : i+1]})
				}
			}
			if diff := cmp.Diff(want, asMap(t, NewResult(cut.Replay()))); diff != "" {
				t.Errorf("(-whole +bytes):\n%s", diff)
			}
			if rec.Response.Headers["content-encoding"] == "" && len(rec.Response.Writes) > 0 {
				if diff := cmp.Diff(want, asMap(t, NewResult(packed(t, rec).Replay()))); diff != "" {
					t.Errorf("(-plain +gzip):\n%s", diff)
				}
			}
		})
	}
}

// TestSingleCuts delivers each read of the smaller cases in two, cut at each place in turn, since what comes before a cut
// must not depend on what comes after it.
func TestSingleCuts(t *testing.T) {
	for name, rec := range exchanges(t) {
		if rec.size() > 1000 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			want := asMap(t, NewResult(rec.Replay()))
			for i, w := range rec.Response.Writes {
				body := w.bytes()
				for cut := 1; cut < len(body); cut++ {
					got := asMap(t, NewResult(withWrites(rec, i, body[:cut], body[cut:]).Replay()))
					if diff := cmp.Diff(want, got); diff != "" {
						t.Fatalf("write %d cut at %d (-whole +cut):\n%s", i, cut, diff)
					}
				}
			}
		})
	}
}

// TestRandomCuts cuts the answers anywhere and joins reads, whatever the moment: counts and words stay, times may move.
func TestRandomCuts(t *testing.T) {
	all := exchanges(t)
	var names []string
	for name, rec := range all {
		if rec.ClientClosed == nil && len(rec.Response.Writes) > 0 && !strings.Contains(name, "1-mib") && !strings.Contains(name, "buffering") {
			names = append(names, name)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		rec := all[rapid.SampledFrom(names).Draw(rt, "exchange")]
		want := asMap(t, NewResult(rec.Replay()))
		var body []byte
		for _, w := range rec.Response.Writes {
			body = append(body, w.bytes()...)
		}
		cut := *rec
		cut.Response.Writes = nil
		last := rec.Response.Writes[len(rec.Response.Writes)-1].At
		for len(body) > 0 {
			n := rapid.IntRange(1, min(len(body), 4096)).Draw(rt, "piece")
			cut.Response.Writes = append(cut.Response.Writes, Write{At: last, Base64: body[:n]})
			body = body[n:]
		}
		got := asMap(t, NewResult(cut.Replay()))
		for _, key := range []string{
			"api", "status", "error", "done_reason", "output_tokens", "token_count_source", "events_with_tokens",
			"itl_gaps", "prompt_tokens", "cached_tokens", "tpot_server_ms", "total_ms", "server_metrics", "hits", "op",
		} {
			if diff := cmp.Diff(want[key], got[key]); diff != "" {
				rt.Errorf("%s (-recorded +cut):\n%s", key, diff)
			}
		}
	})
}
