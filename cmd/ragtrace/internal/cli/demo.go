package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/demo"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/index"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/ingest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
)

func newDemo() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Ask a small RAG application eight questions, and tell them apart",
		Long: `Ask a small RAG application eight questions over two sessions, with cold starts inside and outside the LLM, store
the traces, draw the question that took the longest, and answer as slow does.

Everything runs in this process and on this machine. The Ollama is a scripted one, whose timings are invented, unless
--ollama names a real one: then its chat and embedding model are unloaded first, so that the first question finds them
cold. The traces stay in the database for slow and show, next to those of your own programs; --once keeps nothing.`,
		Example: `  ragtrace demo
  ragtrace demo --once
  ragtrace demo --ollama http://127.0.0.1:11434`,
		Args: takes(0, 0),
	}
	db := dbFlag(cmd)
	once := cmd.Flags().Bool("once", false, "use a temporary database and keep nothing")
	ollama := cmd.Flags().String("ollama", "", "use the Ollama at `URL`, with the models that it has")
	asJSON := cmd.Flags().Bool("json", false, "write the JSON of slow to standard output, and nothing else there")
	exclusive(cmd, "once", "db")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		base, err := baseURL(*ollama)
		if err != nil {
			return err
		}
		path, sessions := *db, "-"+strings.ToLower(rand.Text()[:4])
		if *once {
			dir, err := os.MkdirTemp("", "ragtrace-demo-")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			path, sessions = filepath.Join(dir, "demo.db"), ""
		}
		return runDemo(cmd, path, demo.Config{Ollama: base, Sessions: sessions, Progress: cmd.ErrOrStderr()}, *asJSON, *once)
	}
	return cmd
}

// runDemo runs the demo into the store at path and tells what came out.
func runDemo(cmd *cobra.Command, path string, cfg demo.Config, asJSON, once bool) (err error) {
	ctx := cmd.Context()
	st, err := store.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	defer index.Keep(st, slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))).Close()
	run, err := receive(ctx, st, cfg)
	if err != nil {
		return err
	}
	t := &traces{spans: st.Trace}
	var questions []diagnose.Question
	for spans, err := range st.Traces(ctx, store.Filter{Since: run.Began}) {
		if err != nil {
			return err
		}
		questions = append(questions, diagnose.CutTrace(spans)...)
	}
	questions = slices.DeleteFunc(questions, func(q diagnose.Question) bool { return q.Instance != run.Instance })
	t.table = diagnose.TableOf(questions)
	j := t.table.Judge(nil, nil)
	r := j.Report()
	if asJSON {
		return writeReport(cmd.OutOrStdout(), r)
	}
	s := report.NewScreen(cmd.OutOrStdout())
	for _, l := range report.Wrap("This is "+run.Source+".", s.Columns()) {
		fmt.Fprintln(s, l)
	}
	fmt.Fprintln(s)
	worst, err := choose(r.Questions, "slowest")
	if err != nil {
		return err
	}
	view, err := t.view(ctx, r, worst)
	if err != nil {
		return err
	}
	if err := view.Write(s); err != nil {
		return err
	}
	fmt.Fprintln(s)
	if err := writeSlow(cmd.OutOrStdout(), j, noQuestions); err != nil {
		return err
	}
	if once {
		return nil
	}
	flag := ""
	if path != defaultDB() {
		flag = " --db " + path
	}
	fmt.Fprintf(s, "\nThe traces are in %s. Go on with\n\n  ragtrace slow%s\n  ragtrace show %s%[2]s\n", path, flag,
		handles([]diagnose.Result{worst})[0])
	return nil
}

// receive runs the demo against a receiver of OTLP/gRPC on a free port.
func receive(ctx context.Context, st *store.Store, cfg demo.Config) (run demo.Run, err error) {
	server, err := ingest.Start(ctx, st, ingest.Config{GRPC: "127.0.0.1:0"})
	if err != nil {
		return demo.Run{}, err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	cfg.Endpoint = server.GRPCAddr()
	return demo.Start(ctx, cfg)
}

// baseURL checks what --ollama says; "" stays "".
func baseURL(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", usagef("--ollama %s is not a URL like http://127.0.0.1:11434", text)
	}
	return strings.TrimRight(text, "/"), nil
}
