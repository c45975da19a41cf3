package main

import (
	"encoding/json"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// report is what matters of ragtrace slow --json.
type report struct {
	Questions []struct {
		Session string
		Number  int
		E2E     float64 `json:"e2e_ms"`
		Inside  float64 `json:"inside_llm_ms"`
		Stages  []struct {
			Stage  string
			MS     float64
			Inside bool `json:"inside_llm"`
		}
	}
	Slow []struct {
		Session string
		Number  int
		Over    float64 `json:"over_ms"`
		Inside  float64 `json:"inside_over_ms"`
		Side    string
		Causes  []string
	}
	Side string
}

// One question of several waits 800 ms in the gateway: that is the gateway's time, outside the LLM, though it lies below
// the LLM's call.
func TestTimeInTheGatewayIsOutsideTheLLM(t *testing.T) {
	ragtrace := build(t, "./cmd/ragtrace")
	file := filepath.Join(t.TempDir(), "spans.json")
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, warmOllama(), 1)
		for n := range 6 {
			if n == 3 {
				w.gateway.slots <- struct{}{}
				time.AfterFunc(800*time.Millisecond, w.gateway.leave)
			}
			w.ask("anna")
			time.Sleep(time.Second)
		}
		w.export(t, file)
	})
	var r report
	if err := json.Unmarshal(output(t, ragtrace, "slow", "--from", file, "--json"), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Questions) != 6 || len(r.Slow) != 1 {
		t.Fatalf("%d questions, slow are %v; want 6 and the fourth", len(r.Questions), r.Slow)
	}
	slow := r.Slow[0]
	if slow.Session != "anna" || slow.Number != 4 || slow.Side != "outside" || r.Side != "outside" {
		t.Errorf("slow is question %d of %s, %s the LLM; want 4 of anna, outside", slow.Number, slow.Session, slow.Side)
	}
	if slow.Over != 800 || slow.Inside != 0 {
		t.Errorf("it is %v ms over, %v inside; want 800 and 0", slow.Over, slow.Inside)
	}
	if diff := cmp.Diff([]string{"gateway_overhead"}, slow.Causes); diff != "" {
		t.Errorf("causes (-want +got):\n%s", diff)
	}
	gateway := make(map[int]float64)
	for _, q := range r.Questions {
		for _, s := range q.Stages {
			if s.Stage == "gateway" {
				gateway[q.Number] += s.MS
				if s.Inside {
					t.Errorf("the gateway of question %d is inside the LLM", q.Number)
				}
			}
		}
	}
	if gateway[4]-gateway[5] != 800 {
		t.Errorf("the gateway's time is %v, want 800 ms more for question 4", gateway)
	}
}
