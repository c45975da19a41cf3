//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// A bench is where and with what is measured.
type bench struct {
	ragtrace, jaeger string // binaries
	dir              string
	progress         io.Writer
}

// A series is some rounds with as many spans.
type series struct {
	Spans  int      `json:"spans"`
	Rounds int      `json:"rounds"`
	Peers  []string `json:"peers"`
	// Figures are those of a peer in a round.
	Figures map[string][]figures `json:"figures"`
}

// figures are what was measured of a peer in one round. A zero is unknown.
type figures struct {
	SpansPerCPUSecond float64 `json:"spans_per_cpu_s"`       // of all CPU time, until the server rests
	AckedPerCPUSecond float64 `json:"acked_spans_per_cpu_s"` // of the CPU time until the last acknowledgement
	SpansPerSecond    float64 `json:"spans_per_s"`
	AckP50            float64 `json:"ack_p50_ms"`
	AckP95            float64 `json:"ack_p95_ms"`
	PeakMiB           float64 `json:"peak_mib"`
	DiskPerSpan       float64 `json:"disk_bytes_per_span"`
	ReadP50           float64 `json:"trace_by_id_p50_ms"`
	Slow              float64 `json:"slow_ms"`
	Lost              int     `json:"questions_lost"`
}

// series runs the rounds. In each the peers take turns, and the first of one round is the last of the next.
func (b *bench) series(ctx context.Context, peers []peer, s *series) error {
	s.Figures = map[string][]figures{}
	for _, p := range peers {
		s.Peers = append(s.Peers, p.name)
	}
	for round := range s.Rounds {
		for i := range peers {
			p := peers[(i+round)%len(peers)]
			began := time.Now()
			f, err := b.round(ctx, p, s.Spans)
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			fmt.Fprintf(b.progress, "%d spans, round %d of %d: %s, %.0f spans a CPU-second, after %v\n",
				s.Spans, round+1, s.Rounds, p.name, f.SpansPerCPUSecond, time.Since(began).Round(100*time.Millisecond))
			s.Figures[p.name] = append(s.Figures[p.name], f)
		}
	}
	return nil
}

// round starts a peer with nothing stored, gives it the load, and reads it back.
func (b *bench) round(ctx context.Context, p peer, spans int) (f figures, err error) {
	dir, err := os.MkdirTemp(b.dir, strings.ReplaceAll(p.name, " ", "-")+"-")
	if err != nil {
		return f, err
	}
	defer os.RemoveAll(dir)
	s, err := p.start(ctx, b, dir)
	if err != nil {
		return f, err
	}
	defer s.stop()
	l := &load{questions: spans / spansPerQuestion, end: time.Now()}
	before, err := s.cpu()
	if err != nil {
		return f, err
	}
	acks, err := send(ctx, s.otlp, l)
	if err != nil {
		return f, fmt.Errorf("%w\n%s", err, s.tail())
	}
	acked, err := s.cpu()
	if err != nil {
		return f, err
	}
	after, err := s.settledCPU(ctx)
	if err != nil {
		return f, err
	}
	f.AckedPerCPUSecond = float64(spans) / max(acked-before, time.Second/ticks).Seconds()
	f.SpansPerCPUSecond = float64(spans) / max(after-before, time.Second/ticks).Seconds()
	total := time.Duration(0)
	for _, d := range acks {
		total += d
	}
	f.SpansPerSecond = float64(spans) / total.Seconds()
	f.AckP50, f.AckP95 = percentile(acks, 50), percentile(acks, 95)
	peak, err := s.peak()
	if err != nil {
		return f, err
	}
	f.PeakMiB = float64(peak) / (1 << 20)
	if err := b.read(ctx, s, l, &f); err != nil {
		return f, err
	}
	s.stop()
	if s.data != "" {
		size, err := onDisk(s.data)
		if err != nil {
			return f, err
		}
		f.DiskPerSpan = float64(size) / float64(spans)
	}
	return f, nil
}

// send sends the load over one connection, each request when the one before is acknowledged, and returns how long each took.
func send(ctx context.Context, addr string, l *load) ([]time.Duration, error) {
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	client := coltracepb.NewTraceServiceClient(conn)
	var acks []time.Duration
	for n := 0; ; n++ {
		request := l.request(n)
		if request == nil {
			return acks, nil
		}
		began := time.Now()
		answer, err := client.Export(ctx, request, grpc.WaitForReady(true))
		acks = append(acks, time.Since(began))
		if err != nil {
			return nil, fmt.Errorf("request %d: %w", n, err)
		}
		if refused := answer.GetPartialSuccess().GetRejectedSpans(); refused > 0 {
			return nil, fmt.Errorf("request %d: %d spans refused: %s", n, refused, answer.PartialSuccess.ErrorMessage)
		}
	}
}

// read reads single traces, from everywhere in the load, and all questions.
func (b *bench) read(ctx context.Context, s *server, l *load, f *figures) error {
	const reads = 21
	var took []time.Duration
	for i := range reads {
		root := l.question(i * (l.questions - 1) / (reads - 1))[0]
		began := time.Now()
		if err := s.read(ctx, root.TraceId, root.SpanId); err != nil {
			return fmt.Errorf("trace by id: %w", err)
		}
		took = append(took, time.Since(began))
	}
	f.ReadP50 = percentile(took, 50)

	out, first, err := b.slow(ctx, s, "--json")
	if err != nil || out == nil {
		return err
	}
	var report struct{ Questions []json.RawMessage }
	if err := json.Unmarshal(out, &report); err != nil {
		return fmt.Errorf("slow: %w", err)
	}
	f.Lost = l.questions - len(report.Questions)
	// What a person asks for, without the list of all questions, which takes longer to write than to find.
	times := 3
	if first > slowTimeout/10 {
		times = 1
	}
	took = nil
	for range times {
		out, d, err := b.slow(ctx, s)
		if err != nil || out == nil {
			return err
		}
		took = append(took, d)
	}
	f.Slow = percentile(took, 50)
	return nil
}

// slow runs the command on all questions. There is no output when it takes too long.
func (b *bench) slow(ctx context.Context, s *server, flags ...string) (out []byte, took time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, slowTimeout)
	defer cancel()
	args := append([]string{"slow"}, append(s.from, flags...)...)
	cmd := exec.CommandContext(ctx, b.ragtrace, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	began := time.Now()
	out, err = cmd.Output()
	took = time.Since(began)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		fmt.Fprintf(b.progress, "ragtrace %s is given up after %v\n", strings.Join(args, " "), slowTimeout)
		return nil, took, nil
	case err != nil:
		return nil, took, fmt.Errorf("slow: %w\n%s", err, &stderr)
	}
	return out, took, nil
}

// slowTimeout is how long reading all questions may take.
const slowTimeout = 5 * time.Minute

// percentile is the nearest rank of p percent, in milliseconds.
func percentile(values []time.Duration, p int) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return float64(sorted[(len(sorted)*p+99)/100-1]) / float64(time.Millisecond)
}
