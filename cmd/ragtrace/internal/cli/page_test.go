package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/web"
)

func runMain(t *testing.T, args ...string) []byte {
	t.Helper()
	var out, errs bytes.Buffer
	if code := Main(args, &out, &errs); code != 0 {
		t.Fatalf("ragtrace %s: exit code %d, %s", strings.Join(args, " "), code, &errs)
	}
	return out.Bytes()
}

func pageJSON(t *testing.T, url string) map[string]any {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var v map[string]any
	if err := json.NewDecoder(answer.Body).Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestReceiverAsReachedFromHere(t *testing.T) {
	for db, want := range map[string]string{defaultDB(): "", "/srv/traces.db": "/srv/traces.db"} {
		got := receiver("[::]:4317", "127.0.0.1:5318", db)
		if diff := cmp.Diff(web.Receiver{GRPC: "127.0.0.1:4317", HTTP: "127.0.0.1:5318", DB: want}, got); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", db, diff)
		}
	}
}

// The page over a store says what slow says of it, and has questions that another process brings.
func TestThePageSaysWhatSlowSays(t *testing.T) {
	db := filepath.Join(t.TempDir(), "a.db")
	cases := "../diagnose/testdata/verdict/"
	runMain(t, "import", "--db", db, cases+"07-cold-mix-seed1.otlp.json.gz")
	st, err := store.Open(db)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	front, err := startFront(t.Context(), st, "127.0.0.1:0", web.Options{}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := front.close(); err != nil {
			t.Error(err)
		}
	}()
	url := "http://" + front.addr + "/"
	same := func() {
		t.Helper()
		var want map[string]any
		if err := json.Unmarshal(runMain(t, "slow", "--json", "--db", db), &want); err != nil {
			t.Fatal(err)
		}
		got := pageJSON(t, url+"?show=150")
		if diff := cmp.Diff(want["questions"], got["questions"]); diff != "" {
			t.Errorf("questions: %s", diff)
		}
		delete(want, "questions")
		if diff := cmp.Diff(any(want), got["verdict"]); diff != "" {
			t.Errorf("verdict: %s", diff)
		}
	}
	same()

	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"events", nil)
	if err != nil {
		t.Fatal(err)
	}
	events, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer events.Body.Close()
	lines := bufio.NewScanner(events.Body)
	count := func() string {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return data
			}
		}
		return "no word"
	}
	if got := count(); got != "11" {
		t.Errorf("%s questions, want 11", got)
	}
	began := time.Now()
	runMain(t, "import", "--db", db, cases+"08-keep-alive-expired-seed1.otlp.json.gz")
	imported := time.Since(began)
	got := count()
	for got != "21" && got != "no word" { // they may come in two helpings
		got = count()
	}
	t.Logf("told %v after they were stored", time.Since(began)-imported)
	if got != "21" {
		t.Errorf("%s questions, want 21", got)
	}
	same()
	first := pageJSON(t, url)["questions"].([]any)[0].(map[string]any)
	if rows := pageJSON(t, url+"q/"+first["trace_id"].(string))["rows"].([]any); len(rows) < 10 {
		t.Errorf("a question of %d rows", len(rows))
	}
}
