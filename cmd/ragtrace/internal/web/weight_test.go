package web_test

import (
	"io"
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/web"
)

var assetURL = regexp.MustCompile(`(?:href|src)="(/static/[^"]+)"`)

// get reads a path of a server.
func get(t testing.TB, url string, accept string) (status int, body string, header http.Header) {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", accept)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(b), answer.Header
}

// assets is what script, style and icon weigh.
func assets(t testing.TB, url, page string) int {
	t.Helper()
	sum := 0
	for _, m := range assetURL.FindAllStringSubmatch(page, -1) {
		_, body, _ := get(t, url+m[1], "*/*")
		sum += len(body)
	}
	return sum
}

func TestAHundredThousandQuestionsStayUsable(t *testing.T) {
	if testing.Short() {
		t.Skip("100,000 questions take a while")
	}
	server := start(t, &shelf{cut: many(100_000)}, web.Options{})
	began := time.Now()
	get(t, server.URL, "text/html")
	t.Logf("the first time: %v", time.Since(began))
	for _, path := range []string{"/", "/?first=50000", "/?show=150", "/?slow=1", "/?session=session-500", "/compare", "/numbers"} {
		began := time.Now()
		status, body, _ := get(t, server.URL+path, "text/html")
		t.Logf("%s: %v, %d bytes", path, time.Since(began), len(body))
		if status != http.StatusOK {
			t.Errorf("%s: status %d", path, status)
		}
		if weight := len(body) + assets(t, server.URL, body); weight > mostBytes {
			t.Errorf("%s weighs %d bytes", path, weight)
		}
	}
}

func TestFiveHundredSpansAreLight(t *testing.T) {
	s := &shelf{}
	s.add(wide(500)...)
	server := start(t, s, web.Options{})
	_, body, _ := get(t, server.URL+"/q/"+traceID(1).String()+"/1", "text/html")
	if weight := len(body) + assets(t, server.URL, body); weight > mostBytes {
		t.Errorf("500 spans weigh %d bytes", weight)
	} else {
		t.Logf("500 spans weigh %d bytes", weight)
	}
}
