package ingest_test

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/ingest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

func TestNobodyGetsInWithoutTheToken(t *testing.T) {
	st, err := store.Open(filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	server, err := ingest.Start(t.Context(), st, ingest.Config{GRPC: "127.0.0.1:0", HTTP: "127.0.0.1:0", Token: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()

	for path, contentType := range map[string]string{"/v1/traces": protobuf, "/api/traces": "application/x-thrift", "/": ""} {
		for token, want := range map[string]int{"": 401, "Bearer wrong": 401, "Bearer secret": 0} {
			resp, _ := post(t, server, "POST", path, map[string]string{"Content-Type": contentType, "Authorization": token}, bytes.NewReader(nil))
			if (resp.StatusCode == 401) != (want == 401) {
				t.Errorf("%s with %q: status %d", path, token, resp.StatusCode)
			}
			if challenge := resp.Header.Get("WWW-Authenticate"); (challenge != "") != (want == 401) {
				t.Errorf("%s with %q: challenge is %q", path, token, challenge)
			}
		}
	}

	conn, err := grpc.NewClient(server.GRPCAddr(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	export := func(ctx context.Context) codes.Code {
		_, err := coltracepb.NewTraceServiceClient(conn).Export(ctx, otlptest.Questions(1))
		return status.Code(err)
	}
	if code := export(t.Context()); code != codes.Unauthenticated {
		t.Errorf("gRPC without a token: %v", code)
	}
	if code := export(metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer secret")); code != codes.OK {
		t.Errorf("gRPC with the token: %v", code)
	}
	if c := server.Counts(); c.Unauthorized != 7 || c.Spans != 12 {
		t.Errorf("counts are %+v", c)
	}
}
