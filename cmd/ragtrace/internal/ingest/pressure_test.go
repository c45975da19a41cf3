package ingest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"net/http"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// locked starts a server whose store cannot commit before unlock.
func locked(t *testing.T) (server *Server, st *store.Store, unlock func()) {
	t.Helper()
	st, err := store.Open(filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	server, err = Start(t.Context(), st, Config{GRPC: "127.0.0.1:0", HTTP: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", st.Path())
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	unlock = sync.OnceFunc(func() { db.Close() })
	t.Cleanup(func() {
		unlock()
		if err := errors.Join(server.Close(), st.Close()); err != nil {
			t.Error(err)
		}
	})
	return server, st, unlock
}

// largeRequest is a good request of five spans and 15 MiB.
func largeRequest() *coltracepb.ExportTraceServiceRequest {
	var spans []*tracepb.Span
	for range 5 {
		spans = append(spans, &tracepb.Span{TraceId: otlptest.ID(16), SpanId: otlptest.ID(8), Attributes: []*commonpb.KeyValue{
			otlptest.Str("ragtrace.large", string(bytes.Repeat([]byte("x"), 3<<20))),
		}})
	}
	return otlptest.Request(spans...)
}

func send(ctx context.Context, s *Server, request proto.Message) (status int, retryAfter string, err error) {
	raw, err := proto.Marshal(request)
	if err != nil {
		return 0, "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.HTTPAddr()+"/v1/traces", bytes.NewReader(raw))
	if err != nil {
		return 0, "", err
	}
	req.Close = true
	req.Header.Set("Content-Type", "application/x-protobuf")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	return resp.StatusCode, resp.Header.Get("Retry-After"), resp.Body.Close()
}

func waitFor(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if cond() {
			return
		}
	}
	t.Fatalf("timed out waiting until %s", what)
}

func TestSendersAreAskedToWaitBeforeMemoryGrows(t *testing.T) {
	server, st, unlock := locked(t)
	conn, err := grpc.NewClient(server.GRPCAddr(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()

	// Four requests of 15 MiB fit into 64 MiB, as each holds the 16 MiB that its buffer has grown to.
	var waiting sync.WaitGroup
	for i := range 4 {
		waiting.Go(func() {
			if status, _, err := send(t.Context(), server, largeRequest()); status != 200 || err != nil {
				t.Errorf("a request that waited ended with %d, %v", status, err)
			}
		})
		waitFor(t, "the request is in memory", func() bool { return server.memory.free.Load() == maxMemory-int64(i+1)*maxBody })
	}
	code, retry, err := send(t.Context(), server, largeRequest())
	if code != 429 || retry != "1" || err != nil {
		t.Errorf("HTTP: status %d, retry after %q, error %v, want 429 and 1", code, retry, err)
	}
	_, err = coltracepb.NewTraceServiceClient(conn).Export(t.Context(), largeRequest())
	if s := status.Convert(err); s.Code() != codes.ResourceExhausted || len(s.Details()) != 1 {
		t.Errorf("gRPC: error %v, details %v, want ResourceExhausted and when to come again", err, s.Details())
	}
	if c := server.Counts(); c.Busy != 2 || c.Requests != 0 {
		t.Errorf("counts are %+v", c)
	}

	unlock()
	waiting.Wait()
	waitFor(t, "all memory was given back", func() bool { return server.memory.free.Load() == maxMemory })
	spans := 0
	for trace, err := range st.Traces(t.Context(), store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		spans += len(trace)
	}
	if spans != 4*5 {
		t.Errorf("%d spans stored, want the 20 that were acknowledged", spans)
	}
}

func TestCloseFinishesWhatWasAccepted(t *testing.T) {
	server, st, unlock := locked(t)
	conn, err := grpc.NewClient(server.GRPCAddr(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var waiting sync.WaitGroup
	waiting.Go(func() {
		if status, _, err := send(t.Context(), server, otlptest.Questions(1)); status != 200 || err != nil {
			t.Errorf("HTTP: %d, %v", status, err)
		}
	})
	waiting.Go(func() {
		if _, err := coltracepb.NewTraceServiceClient(conn).Export(t.Context(), otlptest.Questions(1)); err != nil {
			t.Errorf("gRPC: %v", err)
		}
	})
	held := int64(proto.Size(otlptest.Questions(1))) + 1 // all are of one size
	waitFor(t, "both are in memory", func() bool { return server.memory.free.Load() == maxMemory-2*held })
	closed := make(chan error)
	go func() { closed <- server.Close() }()
	waitFor(t, "nobody is let in any more", func() bool {
		_, _, err := send(t.Context(), server, otlptest.Questions(1))
		return errors.Is(err, syscall.ECONNREFUSED)
	})
	unlock()
	waiting.Wait()
	if err := <-closed; err != nil {
		t.Error(err)
	}
	traces := 0
	for _, err := range st.Traces(t.Context(), store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		traces++
	}
	if traces != 2 {
		t.Errorf("%d traces stored, want 2", traces)
	}
}

func TestStartNamesTheAddressThatIsTaken(t *testing.T) {
	server, st, _ := locked(t)
	_, err := Start(t.Context(), st, Config{GRPC: "127.0.0.1:0", HTTP: server.GRPCAddr()})
	failed, ok := errors.AsType[*ListenError](err)
	if !ok || failed.Addr != server.GRPCAddr() || !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("error is %v", err)
	}
	none, err := Start(t.Context(), st, Config{})
	if err != nil || none.GRPCAddr() != "" || none.HTTPAddr() != "" {
		t.Errorf("without addresses: %v", err)
	}
	if err := none.Close(); err != nil {
		t.Error(err)
	}
}

func TestBudgetBoundsABody(t *testing.T) {
	for size, want := range map[int64]struct {
		err  error
		held int // what a reader of this size may hold at most
	}{
		0: {nil, 1}, 1000: {nil, 1001}, firstBuffer: {nil, 2 * firstBuffer}, 1 << 20: {nil, 2 << 20},
		maxBody: {nil, maxBody + 1}, maxBody + 1: {errTooLarge, 0},
	} {
		var b budget
		b.free.Store(maxMemory)
		body, err := b.read(bytes.NewReader(make([]byte, size)), size)
		if !errors.Is(err, want.err) || cap(body) > want.held || err == nil && int64(len(body)) != size {
			t.Errorf("size %d: read %d of cap %d, error %v, want at most %d and %v", size, len(body), cap(body), err, want.held, want.err)
		}
		if b.give(cap(body)); b.free.Load() != maxMemory {
			t.Errorf("size %d: %d bytes of the budget are lost", size, maxMemory-b.free.Load())
		}
	}
}
