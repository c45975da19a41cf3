package fakeserver

import (
	"context"
	"slices"
	"strings"
	"time"
)

// repeatLimit is how often in a row one line may be repeated before Ollama ends the answer, without a finish.
const repeatLimit = 30

// A generation is one answer in the making.
type generation struct {
	exchange *exchange
	model    *Model
	lease    *lease
	prompt   string
	think    bool
	stream   bool
	options  map[string]any
	before   []int         // the conversation so far
	loaded   time.Duration // load_duration

	lines    int
	said     strings.Builder
	lastLine string
	repeats  int
}

// metrics are the figures that finish an answer, in nanoseconds on the wire; what is zero is left out.
type metrics struct {
	TotalDuration      time.Duration `json:"total_duration,omitempty"`
	LoadDuration       time.Duration `json:"load_duration,omitempty"`
	PromptEvalCount    int           `json:"prompt_eval_count,omitempty"`
	PromptEvalDuration time.Duration `json:"prompt_eval_duration,omitempty"`
	EvalCount          int           `json:"eval_count,omitempty"`
	EvalDuration       time.Duration `json:"eval_duration,omitempty"`
}

// A piece is what one line of a stream says.
type piece struct {
	created  time.Time
	thinking string
	text     string
	done     bool
	reason   string
	context  []int
	metrics
}

// run makes the answer and gives it to emit piece by piece, the finish last. The runner is released before the finish
// goes out, so that a client that has read it finds the server free.
func (g *generation) run(ctx context.Context, emit func(piece) error) error {
	defer g.lease.release()
	if err := wait(ctx, g.exchange.config.Prepare); err != nil {
		return err
	}
	if err := g.lease.slot(ctx); err != nil {
		return err
	}

	var m metrics
	m.LoadDuration = g.loaded
	m.PromptEvalCount = min(len(g.before)+promptTokens(g.prompt), g.model.numCtx(g.options))
	var err error
	if m.PromptEvalDuration, err = g.lease.prefill(ctx, m.PromptEvalCount); err != nil {
		return err
	}
	reason, err := g.decode(ctx, &m, emit)
	if err != nil {
		return err
	}
	g.lease.release()
	if err := g.midway(); err != nil {
		return err
	}
	now := time.Now()
	m.TotalDuration = now.Sub(g.exchange.start)
	return emit(piece{created: now, done: true, reason: reason, context: g.context(), metrics: m})
}

// decode makes the tokens and gives their lines to emit. It returns why the answer ended.
func (g *generation) decode(ctx context.Context, m *metrics, emit func(piece) error) (reason string, err error) {
	var thinking []string
	if g.think {
		thinking = split(g.model.Thinking(g.prompt))
	}
	tokens := append(thinking, split(g.model.Answer(g.prompt))...)
	limit := number(g.options, "num_predict", -1) // none if it is not positive
	stops := stops(g.options)
	var held strings.Builder // tokens that have not gone out
	heldTokens := 0
	flush := func(thought bool) error {
		text := held.String()
		held.Reset()
		heldTokens = 0
		if text == "" {
			return nil
		}
		p := piece{created: time.Now(), text: text}
		if thought {
			p.text, p.thinking = "", text
		}
		return g.line(p, text, emit)
	}
	for {
		if m.EvalCount > 0 {
			start := time.Now()
			if err := wait(ctx, g.model.TokenTime); err != nil {
				return "", err
			}
			m.EvalDuration += time.Since(start)
		}
		i := m.EvalCount
		m.EvalCount++
		if err := wait(ctx, g.model.Sampling); err != nil {
			return "", err
		}
		if i == len(tokens) { // the end token
			return "stop", flush(false)
		}
		thought := i < len(thinking)
		held.WriteString(tokens[i])
		heldTokens++
		hit, partial := stopAt(held.String(), stops)
		if hit >= 0 {
			text := held.String()[:hit]
			held.Reset()
			held.WriteString(text)
			return "stop", flush(thought)
		}
		last := m.EvalCount == limit
		if last || i+1 == len(thinking) || heldTokens >= g.model.TokensPerLine && !partial {
			if err := flush(thought); err != nil {
				return "", err
			}
		}
		if last {
			return "length", nil
		}
	}
}

// stopAt returns where the first stop string begins in text, or -1, and whether text's end may be the beginning of one.
func stopAt(text string, stops []string) (hit int, partial bool) {
	hit = -1
	for _, s := range stops {
		if i := strings.Index(text, s); i >= 0 && (hit < 0 || i < hit) {
			hit = i
		}
		for n := min(len(s)-1, len(text)); n > 0 && !partial; n-- {
			partial = strings.HasSuffix(text, s[:n])
		}
	}
	return hit, partial
}

// line lets one line out, unless the answer ends here.
func (g *generation) line(p piece, text string, emit func(piece) error) error {
	if text = strings.TrimSpace(text); text == g.lastLine {
		g.repeats++
	} else {
		g.lastLine, g.repeats = text, 0
	}
	if g.repeats > repeatLimit {
		return errNoFinish
	}
	if g.lines == g.exchange.fault.AfterLines {
		if err := g.midway(); err != nil {
			return err
		}
	}
	g.lines++
	g.said.WriteString(p.thinking + p.text)
	return emit(p)
}

// midway ends the answer if the script says so. A plain answer is made to its end before it can break off.
func (g *generation) midway() error {
	err := g.exchange.fault.midway()
	if err == errBroken && !g.stream {
		return nil
	}
	if g.exchange.fault.Crash {
		g.lease.crash()
	}
	return err
}

// context is the conversation so far in the numbers of its tokens.
func (g *generation) context() []int {
	ids := slices.Clone(g.before)
	for _, t := range append(split(g.prompt), split(g.said.String())...) {
		ids = append(ids, tokenID(t))
	}
	return ids
}
