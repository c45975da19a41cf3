package cli

import (
	"context"
	"errors"
	"net/netip"
	"path/filepath"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/index"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/web"
)

// newPage is the page over a store. Close it before the store, and before its server waits for requests to end, since live
// updates do not end by themselves.
func newPage(st *store.Store, options web.Options) *web.Page {
	return web.New(web.Source{
		Version: st.Version,
		Questions: func(ctx context.Context) ([]diagnose.Question, error) {
			table, err := index.Read(ctx, st, nil)
			if err != nil && !isDamaged(err) { // the log tells of what is damaged
				return nil, err
			}
			return table.Questions(), nil
		},
		Spans: func(ctx context.Context, id model.TraceID) ([]model.Span, error) {
			spans, err := st.Trace(ctx, id)
			if errors.Is(err, store.ErrNotFound) {
				return nil, web.ErrNoTrace
			}
			return spans, err
		},
	}, options)
}

// receiver is where programs on this machine send spans to when these addresses are listened on.
func receiver(grpc, http, db string) web.Receiver {
	r := web.Receiver{GRPC: grpc, HTTP: http}
	for _, addr := range []*string{&r.GRPC, &r.HTTP} {
		if at, err := netip.ParseAddrPort(*addr); err == nil && at.Addr().IsUnspecified() {
			*addr = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), at.Port()).String()
		}
	}
	if path, err := filepath.Abs(db); err == nil && path != defaultDB() {
		r.DB = path
	}
	return r
}
