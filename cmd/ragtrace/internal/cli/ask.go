package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/ask"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/timings"
)

const askHelp = `Press Enter: send a question to a RAG application or a model server, read the answer, and say how long it took on the
client's clock, which begins right before connecting.

URL is an application's endpoint, which is sent {"question": "..."} unless --body says otherwise, or a model server's:
/api/chat, /api/generate, /v1/chat/completions, /v1/completions, /v1/responses or /completion. Without a path it is an
Ollama. Without --model, the server's first model is asked.

Each question carries traceparent and Ragtrace-Enter, and with --session Ragtrace-Session and Ragtrace-Question, so that
an application traced with ragtrace shows it from Enter on: ragtrace show TRACE, with the trace that is printed.

A model that has read the same prompt before has it in its cache: ask different ones, with --prompts, to measure prefill.
--record writes each exchange to a file for ragtrace timings, with filler of the same length for prompts and answers.`

// askFlags are the flags of ask.
type askFlags struct {
	n, concurrency                int
	session, prompt, prompts      string
	model, body, record           string
	idle, timeout                 time.Duration
	content, asJSON, repeatsGiven bool
}

func newAsk() *cobra.Command {
	var f askFlags
	cmd := &cobra.Command{
		Use:   "ask URL",
		Short: "Ask a RAG application or a model server, and time the answers",
		Long:  askHelp,
		Example: `  ragtrace ask http://127.0.0.1:8080/ask --session a -n 5 \
    --prompt "When are brake pads worn out?"
  ragtrace ask http://127.0.0.1:11434 --prompts questions.txt --record records`,
		Args: takes(1, 1),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.prompt, "prompt", "", "ask `TEXT`")
	flags.StringVar(&f.prompts, "prompts", "", "ask the lines of `FILE` in turn")
	flags.IntVarP(&f.n, "number", "n", 1, "ask `N` questions; without it, each line of --prompts is asked once")
	flags.StringVar(&f.session, "session", "", "let the questions belong to session `S`")
	flags.DurationVar(&f.idle, "idle", 0, "wait for `DURATION` after an answer, before the next question")
	flags.IntVar(&f.concurrency, "concurrency", 1, "ask `N` questions at a time, after the first one, which is the warm-up and asked alone")
	flags.DurationVar(&f.timeout, "timeout", 10*time.Minute, "give a question up after `DURATION`")
	flags.StringVar(&f.model, "model", "", "`NAME` of the model to ask")
	flags.StringVar(&f.body, "body", "", `send JSON `+"`TEMPLATE`"+`, or that of @FILE, with the prompt for {{prompt}}`)
	flags.StringVar(&f.record, "record", "", "write the exchanges into `DIR`, with filler for what was said")
	flags.BoolVar(&f.content, "content", false, "let the recordings hold prompts and answers")
	flags.BoolVar(&f.asJSON, "json", false, "write JSON as ragtrace timings does")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		f.repeatsGiven = flags.Changed("number")
		cfg, err := f.config(cmd.Context(), args[0])
		if refused, ok := errors.AsType[ask.UsageError](err); ok {
			return usagef("%v", refused)
		}
		if err != nil {
			return err
		}
		return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), cfg)
	}
	return cmd
}

// config checks the flags and finds out what is asked.
func (f *askFlags) config(ctx context.Context, url string) (cfg ask.Config, err error) {
	if (f.prompt == "") == (f.prompts == "") {
		return cfg, usagef("what to ask is missing or said twice: pass --prompt TEXT or --prompts FILE")
	}
	if f.model != "" && f.body != "" {
		return cfg, usagef("--model is for the bodies that ragtrace makes: write the model into --body")
	}
	if f.n < 1 || f.concurrency < 1 || f.idle < 0 || f.timeout <= 0 {
		return cfg, usagef("-n, --concurrency and --timeout must be above zero, and --idle not below")
	}
	if f.content && f.record == "" {
		return cfg, usagef("--content is for recordings: name a directory with --record")
	}
	cfg = ask.Config{
		Prompts: []string{f.prompt}, N: f.n, Session: f.session, Idle: f.idle, Concurrency: f.concurrency, Timeout: f.timeout,
	}
	if f.prompts != "" {
		if cfg.Prompts, err = readPrompts(f.prompts); err != nil {
			return cfg, err
		}
		if !f.repeatsGiven {
			cfg.N = len(cfg.Prompts)
		}
	}
	template := f.body
	if name, ok := strings.CutPrefix(template, "@"); ok {
		b, err := os.ReadFile(name)
		if err != nil {
			return cfg, err
		}
		template = string(b)
	}
	if cfg.Target, err = ask.Resolve(ctx, url, f.model, template); err != nil {
		return cfg, err
	}
	if f.record != "" {
		cfg.Recorder, err = ask.NewRecorder(f.record, f.session, f.content)
	}
	return cfg, err
}

// readPrompts reads the lines of a file that are not empty.
func readPrompts(name string) ([]string, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var prompts []string
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line != "" {
			prompts = append(prompts, line)
		}
	}
	if len(prompts) == 0 {
		return nil, fmt.Errorf("%s has no prompts: put one on each line", name)
	}
	return prompts, nil
}

// run asks, tells of each answer on stderr, and of all of them on stdout.
func (f *askFlags) run(ctx context.Context, stdout, stderr io.Writer, cfg ask.Config) error {
	if cfg.Target.Note != "" {
		fmt.Fprintln(stderr, report.Clean(cfg.Target.Note))
	}
	cfg.Answered = func(number int, r *timings.Result) {
		fmt.Fprintf(stderr, "%*d/%d  %s  trace %s\n", len(fmt.Sprint(cfg.N)), number, cfg.N, report.Clean(r.Line()), r.Trace)
	}
	results, err := ask.Run(ctx, cfg)
	if len(results) > 0 {
		fmt.Fprintln(stderr)
		err = errors.Join(writeTimings(stdout, results, cfg.N > 1, f.asJSON, false), err)
	}
	answered := 0
	for _, r := range results {
		if r.OK() {
			answered++
		}
	}
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return fmt.Errorf("interrupted: %d of %d questions were answered", answered, cfg.N)
	case answered == 0:
		return fmt.Errorf("no question was answered: %s", report.Clean(results[0].Trouble()))
	}
	return nil
}
