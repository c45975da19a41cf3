//go:build unix

package endtoend

import (
	"context"
	"net"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// startRelay passes every OTLP/gRPC export on to all of the receivers, and acknowledges what all of them have.
func startRelay(t *testing.T, receivers ...string) (address string) {
	t.Helper()
	var r relay
	for _, receiver := range receivers {
		conn, err := grpc.NewClient(receiver, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		r.to = append(r.to, collector.NewTraceServiceClient(conn))
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	collector.RegisterTraceServiceServer(server, &r)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

type relay struct {
	collector.UnimplementedTraceServiceServer
	to []collector.TraceServiceClient
}

func (r *relay) Export(ctx context.Context, in *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	for _, client := range r.to {
		if _, err := client.Export(ctx, in); err != nil {
			return nil, err
		}
	}
	return &collector.ExportTraceServiceResponse{}, nil
}
