package cli

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	sources "github.com/ragtrace/ragtrace/cmd/ragtrace/internal/source"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
)

// A verdict is what is certain of a file of traces, and what slow says of it.
type verdict struct {
	Slow        []slowEntry       `json:"slow"`
	Side        string            `json:"side"`
	InsideShare *float64          `json:"inside_share"`
	Causes      []string          `json:"causes"`
	Questions   []verdictQuestion `json:"questions"`
	Tolerance   float64           `json:"tolerance_ms"`
}

type verdictQuestion struct {
	Session      string    `json:"session"`
	Number       int       `json:"number"`
	Status       string    `json:"status"`
	E2E          *float64  `json:"e2e_ms"`
	Inside       *float64  `json:"inside_llm_ms"`
	Outside      *float64  `json:"outside_llm_ms"`
	Unattributed *float64  `json:"unattributed_ms"`
	Cold         *[]caused `json:"cold"`
	Flags        []string  `json:"flags"`
}

type slowEntry struct {
	Session     string   `json:"session"`
	Number      int      `json:"number"`
	E2E         float64  `json:"e2e_ms"`
	Baseline    float64  `json:"baseline_ms"`
	Over        float64  `json:"over_ms"`
	InsideOver  float64  `json:"inside_over_ms"`
	OutsideOver float64  `json:"outside_over_ms"`
	Side        string   `json:"side"`
	Causes      []string `json:"causes"`
}

type caused struct {
	Cause string  `json:"cause"`
	MS    float64 `json:"ms"`
}

// said is what slow --json says.
func said(t *testing.T, args ...string) verdict {
	t.Helper()
	out, _ := run(t, exitOK, append([]string{"slow", "--json"}, args...)...)
	var v verdict
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestVerdictsOfFiles asks the command itself for the answer to every case, from the file and from a store that it was
// read into.
func TestVerdictsOfFiles(t *testing.T) {
	paths, err := filepath.Glob("../diagnose/testdata/verdict/*.otlp.json.gz")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".otlp.json.gz")
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(filepath.Dir(path), name+".truth.json"))
			if err != nil {
				t.Fatal(err)
			}
			var want verdict
			if err := json.Unmarshal(data, &want); err != nil {
				t.Fatal(err)
			}
			want.compare(t, said(t, "--from", path), true)
			db := stored(t, path)
			// The store keeps a span that is sent twice once.
			want.compare(t, said(t, "--db", db), false)

			ofFile, _ := run(t, exitOK, "stats", "--json", "--from", path)
			ofStore, _ := run(t, exitOK, "stats", "--json", "--db", db)
			if diff := cmp.Diff(ofFile, ofStore); diff != "" {
				t.Errorf("stats of the file and of the store differ: %s", diff)
			}
		})
	}
}

// stored reads a file into a new store.
func stored(t testing.TB, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	db := filepath.Join(t.TempDir(), "traces.db")
	st, err := store.Open(db)
	if err != nil {
		t.Fatal(err)
	}
	for batch, err := range sources.ReadFile(f) {
		if err == nil {
			err = st.Append(context.Background(), batch)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	return db
}

// compare holds what was said against what is certain.
func (want *verdict) compare(t *testing.T, got verdict, flags bool) {
	t.Helper()
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= want.Tolerance })
	key := func(session string, number int) string { return name(session, number) }

	bySlow := func(list []slowEntry) map[string]slowEntry {
		m := make(map[string]slowEntry)
		for _, s := range list {
			m[key(s.Session, s.Number)] = s
		}
		return m
	}
	if diff := cmp.Diff(bySlow(want.Slow), bySlow(got.Slow), near); diff != "" {
		t.Errorf("slow: %s", diff)
	}
	if got.Side != want.Side || !slices.Equal(got.Causes, want.Causes) {
		t.Errorf("%s %v, want %s %v", got.Side, got.Causes, want.Side, want.Causes)
	}
	if want.InsideShare != nil && (got.InsideShare == nil || math.Abs(*got.InsideShare-*want.InsideShare) > 0.02) {
		t.Errorf("inside_share %v, want %v", got.InsideShare, *want.InsideShare)
	}
	if len(got.Questions) != len(want.Questions) {
		t.Errorf("%d questions, want %d", len(got.Questions), len(want.Questions))
	}
	for _, w := range want.Questions {
		i := slices.IndexFunc(got.Questions, func(g verdictQuestion) bool { return g.Session == w.Session && g.Number == w.Number })
		if i < 0 {
			t.Errorf("no question %s", key(w.Session, w.Number))
			continue
		}
		g := got.Questions[i]
		// What is not certain is not tested.
		for _, x := range []struct{ got, want **float64 }{
			{&g.E2E, &w.E2E}, {&g.Inside, &w.Inside}, {&g.Outside, &w.Outside}, {&g.Unattributed, &w.Unattributed},
		} {
			if *x.want == nil {
				*x.got = nil
			}
		}
		if w.Cold == nil {
			g.Cold = nil
		}
		for _, flag := range w.Flags {
			if flags && !slices.Contains(g.Flags, flag) {
				t.Errorf("%s: flags %v lack %s", key(w.Session, w.Number), g.Flags, flag)
			}
		}
		g.Flags, w.Flags = nil, nil
		if diff := cmp.Diff(w, g, near); diff != "" {
			t.Errorf("%s: %s", key(w.Session, w.Number), diff)
		}
	}
}
