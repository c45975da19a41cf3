package cli

import (
	"context"
	"errors"

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
			questions, err := index.Read(ctx, st, store.QuestionFilter{}, nil)
			if isDamaged(err) { // the log tells of them
				return questions, nil
			}
			return questions, err
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
