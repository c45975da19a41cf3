package diagnose

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readJSON is a report as a reader of its JSON sees it.
type readJSON struct {
	Questions   []truthQuestion `json:"questions"`
	Slow        []truthSlow     `json:"slow"`
	Side        Side            `json:"side"`
	InsideShare *float64        `json:"inside_share"`
	Causes      []string        `json:"causes"`
	Text        string          `json:"text"`
}

func TestVerdictCases(t *testing.T) {
	paths, err := filepath.Glob("testdata/verdict/*.otlp.json.gz")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".otlp.json.gz")
		t.Run(name, func(t *testing.T) {
			var want truth
			data, err := os.ReadFile("testdata/verdict/" + name + ".truth.json")
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(data, &want); err != nil {
				t.Fatal(err)
			}
			questions := Cut(readSpans(t, path))
			data, err = json.Marshal(questions)
			if err != nil {
				t.Fatal(err)
			}
			var stored []Question // as a store would give them back
			if err := json.Unmarshal(data, &stored); err != nil {
				t.Fatal(err)
			}
			data, err = json.Marshal(Judge(stored))
			if err != nil {
				t.Fatal(err)
			}
			var got readJSON
			if err := json.Unmarshal(data, &got); err != nil {
				t.Fatal(err)
			}
			t.Log(got.Text)
			compare(t, got, want)
		})
	}
}

// tolerance is that of all cases, in milliseconds.
const tolerance = 2.0

func compare(t *testing.T, got readJSON, want truth) {
	t.Helper()
	near := func(what string, got *float64, want float64) {
		t.Helper()
		if got == nil {
			t.Errorf("%s is absent, want %.3f", what, want)
		} else if math.Abs(*got-want) > tolerance {
			t.Errorf("%s = %.3f, want %.3f", what, *got, want)
		}
	}
	v := got
	if v.Side != want.Side {
		t.Errorf("side = %s, want %s", v.Side, want.Side)
	}
	if !slices.Equal(v.Causes, want.Causes) {
		t.Errorf("causes = %v, want %v", v.Causes, want.Causes)
	}
	if want.InsideShare != nil && (v.InsideShare == nil || math.Abs(*v.InsideShare-*want.InsideShare) > 0.02) {
		t.Errorf("inside_share = %v, want %v", v.InsideShare, *want.InsideShare)
	}
	if len(v.Slow) != len(want.Slow) {
		t.Errorf("slow = %v, want %v", v.Slow, want.Slow)
	}
	for _, w := range want.Slow {
		i := slices.IndexFunc(v.Slow, func(s truthSlow) bool { return s.key() == w.key() })
		if i < 0 {
			t.Errorf("%s is not slow", w.key())
			continue
		}
		g := v.Slow[i]
		near(w.key()+" e2e", &g.E2E, w.E2E)
		near(w.key()+" baseline", &g.Baseline, w.Baseline)
		near(w.key()+" over", &g.Over, w.Over)
		near(w.key()+" inside over", &g.InsideOver, w.InsideOver)
		near(w.key()+" outside over", &g.OutsideOver, w.OutsideOver)
		if g.Side != w.Side || !slices.Equal(g.Causes, w.Causes) {
			t.Errorf("%s: %s %v, want %s %v", w.key(), g.Side, g.Causes, w.Side, w.Causes)
		}
	}
	if len(got.Questions) != len(want.Questions) {
		t.Errorf("%d questions, want %d", len(got.Questions), len(want.Questions))
	}
	for _, w := range want.Questions {
		i := slices.IndexFunc(got.Questions, func(q truthQuestion) bool { return q.key() == w.key() })
		if i < 0 {
			t.Errorf("no question %s", w.key())
			continue
		}
		compareQuestion(t, got.Questions[i], w, near)
	}
}

func compareQuestion(t *testing.T, g, w truthQuestion, near func(string, *float64, float64)) {
	t.Helper()
	if g.Status != w.Status {
		t.Errorf("%s: status %s, want %s", w.key(), g.Status, w.Status)
	}
	for _, n := range []struct {
		what      string
		got, want *float64
	}{
		{"e2e", g.E2E, w.E2E}, {"inside", g.Inside, w.Inside}, {"outside", g.Outside, w.Outside},
		{"unattributed", g.Unattributed, w.Unattributed},
	} {
		if n.want != nil {
			near(w.key()+" "+n.what, n.got, *n.want)
		}
	}
	for _, flag := range w.Flags {
		if !slices.Contains(g.Flags, flag) {
			t.Errorf("%s: flags %v lack %s", w.key(), g.Flags, flag)
		}
	}
	if w.Cold == nil {
		return
	}
	if len(*g.Cold) != len(*w.Cold) {
		t.Errorf("%s: cold %v, want %v", w.key(), *g.Cold, *w.Cold)
		return
	}
	for i, c := range *w.Cold {
		if (*g.Cold)[i].Cause != c.Cause {
			t.Errorf("%s: cold %v, want %v", w.key(), *g.Cold, *w.Cold)
		}
		near(w.key()+" cold "+c.Cause, &(*g.Cold)[i].Time, c.Time)
	}
}
