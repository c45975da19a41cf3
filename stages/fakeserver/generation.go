package fakeserver

import (
	"context"
	"strings"
	"time"
)

// repeatLimit is how often in a row one line may be repeated before Ollama ends the answer, without a finish.
const repeatLimit = 30

// A generation is one answer in the making.
type generation struct {
	exchange *exchange
	model    *Model
	runner   *runner
	prompt   string
	think    bool
	stream   bool
	options  map[string]any
	loaded   time.Duration // load_duration

	hasSlot, released bool

	lines    int
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
	defer g.release()
	if err := wait(ctx, g.exchange.config.Prepare); err != nil {
		return err
	}
	select {
	case g.runner.slots <- struct{}{}:
		g.hasSlot = true
	case <-ctx.Done():
		return ctx.Err()
	}

	var m metrics
	m.LoadDuration = g.loaded
	m.PromptEvalCount = min(promptTokens(g.prompt), g.model.numCtx(g.options))
	var err error
	if m.PromptEvalDuration, err = g.exchange.prefill(ctx, g.runner, m.PromptEvalCount); err != nil {
		return err
	}
	answer, reason, err := g.decode(ctx, &m, emit)
	if err != nil {
		return err
	}
	g.release()
	if err := g.midway(); err != nil {
		return err
	}
	now := time.Now()
	m.TotalDuration = now.Sub(g.exchange.start)
	return emit(piece{created: now, done: true, reason: reason, context: g.context(answer), metrics: m})
}

// release gives slot and runner back, once.
func (g *generation) release() {
	if g.hasSlot {
		<-g.runner.slots
	}
	if !g.released {
		g.exchange.sched.release(g.runner)
	}
	g.hasSlot, g.released = false, true
}

// prefill evaluates a prompt of n tokens and returns how long it took.
func (x *exchange) prefill(ctx context.Context, r *runner, n int) (time.Duration, error) {
	d := r.model.Prefill + time.Duration(n)*r.model.PrefillPerToken
	if x.sched.firstPrefill(r) {
		d += r.model.ColdPrefill
	}
	start := time.Now()
	err := wait(ctx, d)
	return time.Since(start), err
}

// decode makes the tokens and gives their lines to emit. It returns the answer's tokens, the thinking ones too, and why it
// ended.
func (g *generation) decode(ctx context.Context, m *metrics, emit func(piece) error) (tokens []string, reason string, err error) {
	var thinking []string
	if g.think {
		thinking = split(g.model.Thinking(g.prompt))
	}
	tokens = append(thinking, split(g.model.Answer(g.prompt))...)
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
				return nil, "", err
			}
			m.EvalDuration += time.Since(start)
		}
		i := m.EvalCount
		m.EvalCount++
		if err := wait(ctx, g.model.Sampling); err != nil {
			return nil, "", err
		}
		if i == len(tokens) { // the end token
			return tokens, "stop", flush(false)
		}
		thought := i < len(thinking)
		held.WriteString(tokens[i])
		heldTokens++
		hit, partial := stopAt(held.String(), stops)
		if hit >= 0 {
			text := held.String()[:hit]
			held.Reset()
			held.WriteString(text)
			return tokens[:i+1], "stop", flush(thought)
		}
		last := m.EvalCount == limit
		if last || i+1 == len(thinking) || heldTokens >= g.model.TokensPerLine && !partial {
			if err := flush(thought); err != nil {
				return nil, "", err
			}
		}
		if last {
			return tokens[:i+1], "length", nil
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
	return emit(p)
}

// midway ends the answer if the script says so. A plain answer is made to its end before it can break off.
func (g *generation) midway() error {
	err := g.exchange.fault.midway()
	if err == errBroken && !g.stream {
		return nil
	}
	if g.exchange.fault.Crash {
		g.exchange.sched.crash(g.runner)
	}
	return err
}

// context is the conversation so far in the numbers of its tokens.
func (g *generation) context(answer []string) []int {
	var ids []int
	for _, t := range append(split(g.prompt), answer...) {
		ids = append(ids, tokenID(t))
	}
	return ids
}
