package ingest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"
)

// A failure is why a request was not taken, in the terms of both protocols.
type failure struct {
	http  int
	grpc  codes.Code
	msg   string
	retry bool // the sender may try again after retryAfter
}

const retryAfter = time.Second

// status is the failure as OTLP carries it: in the body over HTTP, in a trailer over gRPC.
func (f *failure) status() *spb.Status {
	s := &spb.Status{Code: int32(f.grpc), Message: f.msg}
	if f.retry {
		// Cannot fail: the message is a known one.
		if detail, err := anypb.New(&errdetails.RetryInfo{RetryDelay: durationpb.New(retryAfter)}); err == nil {
			s.Details = []*anypb.Any{detail}
		}
	}
	return s
}

// receive reads a request's body, of size bytes or a negative number when that is unknown, takes it apart and stores it.
// When it returns a batch, the batch's spans are committed.
func (s *Server) receive(ctx context.Context, body io.Reader, size int64, encoding string, split func([]byte) (*otlp.Batch, error)) (*otlp.Batch, *failure) {
	switch encoding {
	case "", "identity":
	case "gzip":
		// What is packed has a bound of its own, since it can unpack to nothing for ever.
		zr, err := gzip.NewReader(io.LimitReader(body, maxBody))
		if err != nil {
			return nil, s.bad(fmt.Errorf("gzip: %w", err))
		}
		body, size = zr, -1
	case "zstd":
		// A decoder holds up to 8 MiB: so there are two, and nobody has one before all that it is for has come.
		packed, err := s.memory.read(body, size)
		defer s.memory.give(cap(packed))
		if err != nil {
			return nil, s.unread(err)
		}
		zr := <-s.unpackers
		defer func() { s.unpackers <- zr }()
		if err := zr.Reset(bytes.NewReader(packed)); err != nil {
			return nil, s.bad(fmt.Errorf("zstd: %w", err))
		}
		body, size = zr, -1
	default:
		s.counts.bad.Add(1)
		return nil, &failure{http.StatusUnsupportedMediaType, codes.Unimplemented, fmt.Sprintf("encoding %q is not known (use gzip or zstd)", encoding), false}
	}
	raw, err := s.memory.read(body, size)
	defer s.memory.give(cap(raw))
	if err != nil {
		return nil, s.unread(err)
	}
	batch, err := split(raw)
	if err != nil {
		return nil, s.bad(err)
	}
	if err := s.store.Append(ctx, batch); err != nil {
		if !errors.Is(err, store.ErrClosed) && ctx.Err() == nil {
			s.counts.failed.Add(1)
			s.counts.failure.Store(&err)
		}
		return nil, &failure{http.StatusServiceUnavailable, codes.Unavailable, err.Error(), true}
	}
	s.counts.requests.Add(1)
	s.counts.spans.Add(int64(len(batch.Spans)))
	s.counts.refuse(batch.Refused)
	return batch, nil
}

// unread is why a body could not be read.
func (s *Server) unread(err error) *failure {
	switch {
	case errors.Is(err, errTooLarge):
		s.counts.bad.Add(1)
		return &failure{http.StatusRequestEntityTooLarge, codes.ResourceExhausted, err.Error(), false}
	case errors.Is(err, errBusy):
		s.counts.busy.Add(1)
		return &failure{http.StatusTooManyRequests, codes.ResourceExhausted, err.Error(), true}
	}
	return s.bad(fmt.Errorf("read the request: %w", err))
}

func (s *Server) bad(err error) *failure {
	s.counts.bad.Add(1)
	return &failure{http.StatusBadRequest, codes.InvalidArgument, err.Error(), false}
}

// maxSpans bounds the spans of a request, whose smallest take five times their size in memory.
const maxSpans = 1 << 16

func splitProtobuf(body []byte) (*otlp.Batch, error) { return otlp.SplitUpTo(body, maxSpans) }

// splitJSON takes apart a body of one request in OTLP/JSON.
func splitJSON(body []byte) (*otlp.Batch, error) {
	var one *otlp.Batch
	for batch, err := range otlp.ReadJSONUpTo(bytes.NewReader(body), maxSpans) {
		if err != nil {
			return nil, err
		}
		if one != nil {
			return nil, errors.New("more than one request in the body")
		}
		one = batch
	}
	if one == nil {
		return nil, errors.New("the body is empty")
	}
	return one, nil
}
