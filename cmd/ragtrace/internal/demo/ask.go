package demo

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/tracer"
)

// A turn is one question as its user asks it.
type turn struct {
	session  string
	question string
	think    time.Duration // how long the user reads and types before Enter
}

// turns are the questions of the demo. Before the last but one the user thinks for longer than the chat model stays
// in memory.
var turns = []turn{
	{session: "a", question: "How do I know that a chain is worn out?"},
	{session: "a", question: "And how often should it be oiled?"},
	{session: "a", question: "What tyre pressure suits a rider of 75 kg?"},
	{session: "a", question: "How do I find the hole in a tube?"},
	{session: "b", question: "My gears click and do not settle. What can I do?"},
	{session: "b", question: "When are disc brake pads worn out?"},
	{session: "b", question: "My knee hurts at the front. Is the saddle too low?", think: keepAlive + 500*time.Millisecond},
	{session: "b", question: "What does an inspection cost?"},
}

// ask sends one question, the number-th of its session, like a browser does, and reads the answer to its end.
func ask(ctx context.Context, client *http.Client, url string, t turn, number int) error {
	enter := time.Now()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(t.question))
	if err != nil {
		return err
	}
	req.Header.Set(tracer.HeaderSession, t.session)
	req.Header.Set(tracer.HeaderQuestion, strconv.Itoa(number))
	waited := float64(time.Since(enter)) / float64(time.Millisecond)
	req.Header.Set(tracer.HeaderEnter, strconv.FormatFloat(waited, 'f', 6, 64))
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", resp.Status, strings.TrimSpace(string(text)))
	}
	return nil
}
