package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"
)

// A serving is a ragtrace serve in a process of its own.
type serving struct {
	cmd        *exec.Cmd
	stderr     *bytes.Buffer
	grpc, http string
}

func startServe(t testing.TB, db string, args ...string) *serving {
	t.Helper()
	args = append([]string{"serve", "--db", db, "--otlp-grpc", "127.0.0.1:0", "--otlp-http", "127.0.0.1:0", "--http", "", "--jaeger-thrift", ""}, args...)
	s := &serving{cmd: exec.CommandContext(t.Context(), "ragtrace", args...), stderr: &bytes.Buffer{}}
	s.cmd.Stderr = s.stderr
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	m := regexp.MustCompile(`^OTLP/gRPC on (\S+), OTLP/HTTP on (\S+), traces in (.*)\n$`).FindStringSubmatch(line)
	if m == nil || m[3] != db {
		s.cmd.Process.Kill()
		s.cmd.Wait()
		t.Fatalf("ragtrace serve said %q (%v)\n%s", line, err, s.stderr)
	}
	s.grpc, s.http = m[1], m[2]
	return s
}

// A sender sends until its server is gone and remembers what was acknowledged.
type sender struct {
	acked []model.TraceID
	one   chan<- struct{} // told of every acknowledgement
}

func (s *sender) sent(request *coltracepb.ExportTraceServiceRequest) {
	for i, span := range request.ResourceSpans[0].ScopeSpans[0].Spans {
		if i%12 == 0 {
			s.acked = append(s.acked, model.TraceID(span.TraceId))
		}
	}
	select {
	case s.one <- struct{}{}:
	default: // nobody waits for more
	}
}

func (s *sender) overHTTP(t *testing.T, addr string) {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for {
		request := otlptest.Questions(1 + rand.IntN(40))
		raw, err := proto.Marshal(request)
		if err != nil {
			t.Error(err)
			return
		}
		resp, err := client.Post("http://"+addr+"/v1/traces", "application/x-protobuf", bytes.NewReader(raw))
		if err != nil {
			return
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("status %d", resp.StatusCode)
			return
		}
		s.sent(request)
	}
}

func (s *sender) overGRPC(t *testing.T, addr string) {
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	for {
		request := otlptest.Questions(1 + rand.IntN(40))
		if _, err := coltracepb.NewTraceServiceClient(conn).Export(t.Context(), request); err != nil {
			return
		}
		s.sent(request)
	}
}

// Whenever the process is killed, what was acknowledged is in the file, once, and the file opens at once.
func TestServeKilled(t *testing.T) {
	db := filepath.Join(t.TempDir(), "test.db")
	var senders []*sender
	for range 5 {
		serve := startServe(t, db)
		var sending sync.WaitGroup
		acks := make(chan struct{}, 1000)
		for i := range 4 {
			s := &sender{one: acks}
			senders = append(senders, s)
			if i%2 == 0 {
				sending.Go(func() { s.overHTTP(t, serve.http) })
			} else {
				sending.Go(func() { s.overGRPC(t, serve.grpc) })
			}
		}
		for range 1 + rand.IntN(100) {
			<-acks
		}
		if err := serve.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		serve.cmd.Wait()
		sending.Wait()
	}
	st, err := store.Open(db)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	spans := map[model.TraceID]int{}
	for trace, err := range st.Traces(t.Context(), store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		ids := map[model.SpanID]bool{}
		for _, span := range trace {
			ids[span.SpanID] = true
		}
		if spans[trace[0].TraceID] > 0 || len(ids) != len(trace) {
			t.Errorf("trace %s is there twice", trace[0].TraceID)
		}
		spans[trace[0].TraceID] = len(trace)
	}
	acked := 0
	for _, s := range senders {
		for _, id := range s.acked {
			if acked++; spans[id] != 12 {
				t.Errorf("trace %s was acknowledged; %d of its 12 spans are there", id, spans[id])
			}
		}
	}
	if acked == 0 {
		t.Error("nothing was acknowledged")
	}
	t.Logf("%d traces acknowledged, %d stored", acked, len(spans))
}

func TestServeStops(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			db := filepath.Join(t.TempDir(), "test.db")
			serve := startServe(t, db)
			conn, err := grpc.NewClient(serve.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			request := otlptest.Questions(3)
			request.ResourceSpans[0].ScopeSpans[0].Spans[5].SpanId = nil
			if _, err := coltracepb.NewTraceServiceClient(conn).Export(t.Context(), request); err != nil {
				t.Fatal(err)
			}
			if err := serve.cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if err := serve.cmd.Wait(); err != nil {
				t.Errorf("%v\n%s", err, serve.stderr)
			}
			for _, want := range []string{"msg=received requests=1 spans=35 spans_total=35\n", "msg=refused spans=1 ", "msg=stopped\n"} {
				if !strings.Contains(serve.stderr.String(), want) {
					t.Errorf("log is %s, want %s", serve.stderr, want)
				}
			}
			if files, err := filepath.Glob(db + "*"); err != nil || len(files) != 1 {
				t.Errorf("files are %v (%v), want the store alone", files, err)
			}
		})
	}
}

func TestServePortInUse(t *testing.T) {
	dir := t.TempDir()
	serve := startServe(t, filepath.Join(dir, "a.db"))
	for flag, addr := range map[string]string{"--otlp-grpc": serve.grpc, "--otlp-http": serve.http, "--http": serve.http, "--jaeger-thrift": serve.http} {
		second := exec.CommandContext(t.Context(), "ragtrace", "serve", "--db", filepath.Join(dir, "b.db"),
			"--otlp-grpc", "127.0.0.1:0", "--otlp-http", "127.0.0.1:0", "--http", "", "--jaeger-thrift", "", flag, addr)
		out, err := second.CombinedOutput()
		want := fmt.Sprintf("ragtrace serve: %s is in use (pass %s to choose another)\n", addr, flag)
		if string(out) != want || second.ProcessState.ExitCode() != 1 {
			t.Errorf("%v: %s, want exit status 1 and %s", err, out, want)
		}
	}
	serve.cmd.Process.Kill()
	serve.cmd.Wait()
}

func TestExitCodes(t *testing.T) {
	for args, want := range map[string]int{"": 0, "--help": 0, "serve --help": 0, "nonsense": 2, "serve --nonsense": 2, "serve --otlp-grpc x": 2, "serve --db /": 1} {
		var out, errs bytes.Buffer
		if got := Main(strings.Fields(args), &out, &errs); got != want {
			t.Errorf("ragtrace %s: exit code %d, want %d\n%s", args, got, want, &errs)
		}
		if (errs.Len() > 0) != (want != 0) {
			t.Errorf("ragtrace %s: exit code %d and stderr %q", args, want, &errs)
		}
	}
}
