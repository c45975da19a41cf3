package timings

import (
	"fmt"
	"strings"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
	"github.com/ragtrace/ragtrace/stages"
)

// clockWords say what the moments of an exchange count from.
var clockWords = map[Clock]string{
	ClientClock: "The clock began right before connecting.",
	PipeClock:   "The clock began with the first read of the pipe, about when curl began: what came before is not in it.",
	ServerClock: "Saved bytes have no arrival times: everything here is what the server reports of itself, without the " +
		"network.",
}

// notes are sentences about the figures: their clock, and every doubt.
func (r *Result) notes() []string {
	var notes []string
	if words := clockWords[r.Clock]; words != "" {
		notes = append(notes, words)
	}
	if n, source := r.Facts.TokenEvents, r.Facts.Metrics().Tokens.Source; source == stages.Measured && n > 0 {
		notes = append(notes, "The server counts no tokens: each line or event with text was counted as one.")
	}
	for _, flag := range r.flags() {
		notes = append(notes, sentence(flagWords(flag)))
		if flag == stages.FlagBufferedStream && r.Clock == PipeClock {
			notes = append(notes, "curl does so too, unless it is told -N.")
		}
	}
	return notes
}

// flagWords say what a flag means, in a clause.
func flagWords(flag string) string {
	if field, ok := strings.CutPrefix(flag, stages.FlagBad); ok {
		return fmt.Sprintf("the server's %s cannot be a duration and was left out", field)
	}
	switch flag {
	case stages.FlagBufferedStream:
		return "something between server and client held the tokens back: TTFT, TPOT and ITL describe that, not the model"
	case stages.FlagSuspectUnits:
		return "the server's durations are in another unit than their names say (they would be more than 20,000 tokens a second) " +
			"and were left out"
	}
	return report.Flag(flag)
}

func sentence(clause string) string {
	return strings.ToUpper(clause[:1]) + clause[1:] + "."
}

// outcome is the status in words: "ok (stop)", "error: engine dead", "incomplete: ...".
func (r *Result) outcome() string {
	f := r.Facts
	switch f.Status {
	case stages.StatusOK:
		if f.DoneReason != "" {
			return "ok (" + f.DoneReason + ")"
		}
		return "ok"
	case stages.StatusIncomplete:
		if r.Problem == "" {
			return "incomplete: the answer ended without a finish"
		}
	case stages.StatusCancelled:
		if r.Problem == "" {
			return "cancelled: the client left first"
		}
	}
	return string(f.Status) + ": " + r.Trouble()
}

// Line is the exchange in a few words: "ok, TTFT 61.0 ms, E2E 123 ms".
func (r *Result) Line() string {
	if !r.OK() {
		return r.outcome()
	}
	g := r.figures()
	line := "ok"
	if g.TTFT.Known() {
		line += ", TTFT " + report.Duration(g.TTFT.D)
	}
	return line + ", E2E " + report.Duration(g.E2E.D)
}

// Trouble says why an exchange failed.
func (r *Result) Trouble() string {
	f, words := r.Facts, r.Problem
	if words == "" {
		words = f.Error
	}
	if status := fmt.Sprintf("http_%d", f.HTTPStatus); f.HTTPStatus >= 400 && words != status {
		return fmt.Sprintf("HTTP %d, %s", f.HTTPStatus, words)
	} else if words == status {
		return fmt.Sprintf("HTTP %d", f.HTTPStatus)
	}
	return words
}

// title names what answered: "ollama, llama3.2:3b".
func (r *Result) title() string {
	title := r.Backend()
	if title == "" {
		title = "unknown API"
	}
	if m := r.Model(); m != "" {
		title += ", " + m
	}
	return title
}
