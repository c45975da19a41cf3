package web_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/web"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// listen opens the live updates.
func listen(t *testing.T, url string) (lines chan string, status int) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	lines = make(chan string, 100)
	go func() {
		defer close(lines)
		for in := bufio.NewScanner(answer.Body); in.Scan(); {
			if in.Text() != "" {
				lines <- in.Text()
			}
		}
	}()
	return lines, answer.StatusCode
}

func next(t *testing.T, lines chan string) string {
	t.Helper()
	select {
	case line := <-lines:
		return line
	case <-time.After(10 * time.Second):
		t.Fatal("no word for ten seconds")
		return ""
	}
}

func TestEventsTellOfQuestions(t *testing.T) {
	s := &shelf{}
	s.add(ten()...)
	lines, _ := listen(t, start(t, s, web.Options{}).URL)
	for _, want := range []string{"event: questions", "id: 1", "data: 10"} {
		if got := next(t, lines); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	s.add(script{session: "a", number: 11, at: 200 * time.Second}.spans(11)...)
	for _, want := range []string{"event: questions", "id: 2", "data: 11"} {
		if got := next(t, lines); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// By the server's clock, which leaves to a page no more than to fetch itself.
func TestAQuestionIsToldOfWithinASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{}
		s.add(ten()...)
		page := web.New(s.source(), web.Options{})
		defer page.Close()
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		said := httptest.NewRecorder()
		go page.ServeHTTP(said, httptest.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1/events", nil))
		const first = "event: questions\nid: 1\ndata: 10\n\n"
		time.Sleep(10 * time.Second)
		if synctest.Wait(); said.Body.String() != first {
			t.Errorf("while nothing is new, it says %q", said.Body)
		}
		s.add(script{session: "a", number: 11, at: 200 * time.Second}.spans(11)...)
		time.Sleep(time.Second)
		if synctest.Wait(); said.Body.String() != first+"event: questions\nid: 2\ndata: 11\n\n" {
			t.Errorf("a second after a question came, it says %q", said.Body)
		}
	})
}

func TestEventsEndWithThePage(t *testing.T) {
	page := web.New((&shelf{}).source(), web.Options{})
	server := newServer(t, page)
	lines, _ := listen(t, server.URL)
	next(t, lines)
	page.Close()
	for range lines { // until it is closed
	}
}

func TestListenersAreBounded(t *testing.T) {
	server := start(t, &shelf{}, web.Options{})
	refused := 0
	for range 70 {
		if _, status := listen(t, server.URL); status == http.StatusServiceUnavailable {
			refused++
		}
	}
	if refused != 6 {
		t.Errorf("of 70 listeners %d were refused, want 6", refused)
	}
}
