//go:build linux

// Command ragbench measures ragtrace serve beside Jaeger on this machine: spans per CPU-second, how long an acknowledgement
// takes, peak memory, size on disk, and how long reading takes. All get the same questions, in turns, and the ratios are
// told with their spread over the rounds.
//
//	go run ./cmd/ragbench [--spans 100000] [--rounds 3] [--big] [--json]
//
// Jaeger's binary is the one that --jaeger names, or that .ci/peers has built. Everything listens on loopback and ends with
// the command; nothing is kept.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintf(os.Stderr, "ragbench: %v\n", err)
		}
		os.Exit(1)
	}
}

// bigSpans is what --big adds.
const bigSpans = 1_000_000

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("ragbench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	spans := flags.Int("spans", 100_000, "how many spans each gets in a round")
	rounds := flags.Int("rounds", 3, "how many rounds")
	big := flags.Bool("big", false, "one round of a million spans after them, which takes some minutes")
	asJSON := flags.Bool("json", false, "write JSON, with the figures of every round")
	jaeger := flags.String("jaeger", defaultJaeger(), "the `path` of Jaeger's binary; it is left out when there is none")
	ragtrace := flags.String("ragtrace", "", "the `path` of ragtrace's binary (built from this module when there is none)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || *spans < 12 || *rounds < 1 {
		return errors.New("want at least 12 spans and one round, and nothing but flags (see --help)")
	}
	tmp, err := os.MkdirTemp("", "ragbench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if *ragtrace == "" {
		*ragtrace = filepath.Join(tmp, "ragtrace")
		fmt.Fprintln(stderr, "building ragtrace")
		build := exec.CommandContext(ctx, "go", "build", "-o", *ragtrace, "github.com/ragtrace/ragtrace/cmd/ragtrace")
		build.Stderr = stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("build ragtrace: %w (run this inside of the module, or name a binary with --ragtrace)", err)
		}
	}
	peers := []peer{{name: "ragtrace", start: startRagtrace}}
	if _, err := os.Stat(*jaeger); err == nil {
		peers = append(peers, peer{"jaeger badger", startBadger}, peer{"jaeger memory", startMemory})
	} else {
		fmt.Fprintf(stderr, "no Jaeger to compare with: %v (.ci/peers jaeger builds one)\n", err)
	}
	b := &bench{ragtrace: *ragtrace, jaeger: *jaeger, dir: tmp, progress: stderr}
	runs := []series{{Spans: wholeQuestions(*spans), Rounds: *rounds}}
	if *big {
		runs = append(runs, series{Spans: wholeQuestions(bigSpans), Rounds: 1})
	}
	for i := range runs {
		if err := b.series(ctx, peers, &runs[i]); err != nil {
			return err
		}
		if !*asJSON {
			if err := writeTable(stdout, &runs[i]); err != nil {
				return err
			}
		}
	}
	if *asJSON {
		out := json.NewEncoder(stdout)
		out.SetIndent("", "  ")
		return out.Encode(struct {
			CPUs   int      `json:"cpus"`
			Series []series `json:"series"`
		}{runtime.NumCPU(), runs})
	}
	return nil
}

// defaultJaeger is where .ci/peers puts its binary.
func defaultJaeger() string {
	dir := os.Getenv("RAGTRACE_PEERS")
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "jaeger"
		}
		dir = filepath.Join(cache, "ragtrace-peers")
	}
	return filepath.Join(dir, "jaeger")
}
