package cli

import (
	"encoding/json"
	"testing"
	"time"
)

// A model's calls are compared in all questions, whichever model answered them: small rewrites six questions that m answers, in
// 100 ms before and in 300 ms after.
func TestCompareOfAModelThatAnswersNothing(t *testing.T) {
	var files [2]string
	for i, rewrite := range []time.Duration{100 * milli, 300 * milli} {
		var askings []asking
		for n := range 6 {
			askings = append(askings, asking{session: "a", number: n + 1, at: time.Duration(n) * 10 * time.Second, search: 500 * milli, decode: time.Second, rewrite: rewrite})
		}
		// One that it answers, so that it has questions at all.
		askings = append(askings, asking{session: "a", number: 7, at: 70 * time.Second, decode: time.Second, model: "small"})
		files[i] = otlpFile(t, askings...)
	}
	out, _ := run(t, 0, "compare", files[0], files[1], "--model", "small", "--json")
	var got struct {
		Metrics []struct {
			Metric string
			A, B   float64
			NA     int `json:"n_a"`
			NB     int `json:"n_b"`
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	for _, m := range got.Metrics {
		if m.Metric == "call" { // 1000 ms in the one, else as long as rewriting
			if m.NA != 7 || m.NB != 7 || m.A != 100 || m.B != 300 {
				t.Errorf("%+v, want seven calls, of 100 and 300 ms by the median", m)
			}
			return
		}
	}
	t.Errorf("no calls: %s", out)
}
