package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
)

// maxKnown bounds the envelopes whose row ids are remembered. A process has one resource and a handful of scopes.
const maxKnown = 4096

// touchEvery is how exactly, in seconds, it is known when an envelope was last used.
const touchEvery = 3600

type envelopeHash = [sha256.Size]byte

type knownEnvelope struct{ id, seen int64 }

const addEnvelope = `INSERT INTO envelope (hash, otlp, seen) VALUES (?1, ?2, ?3)
	ON CONFLICT (hash) DO UPDATE SET seen = ?3 RETURNING id`

// envelope finds or adds the row of an envelope; in found it is already, when it came before in the group.
func (in *inserter) envelope(found map[*otlp.Envelope]int64, e *otlp.Envelope, now time.Time) (int64, error) {
	if id, ok := found[e]; ok {
		return id, nil
	}
	hash := sha256.Sum256(e.OTLP)
	row, ok := in.known[hash]
	if ok && now.Unix()-row.seen >= touchEvery {
		// Another process may have deleted it meanwhile, as nothing had used it for long.
		n, err := in.exec("UPDATE envelope SET seen = ? WHERE id = ? AND hash = ?", now.Unix(), row.id, hash[:])
		if err != nil {
			return 0, err
		}
		row.seen, ok = now.Unix(), n > 0
	}
	if !ok {
		if err := in.get(addEnvelope, []any{hash[:], content(e), now.Unix()}, &row.id); err != nil {
			return 0, err
		}
		row.seen = now.Unix()
	}
	if len(in.known) >= maxKnown {
		clear(in.known)
	}
	in.known[hash] = row
	found[e] = row.id
	return row.id, nil
}

// content is never nil, which would be NULL.
func content(e *otlp.Envelope) []byte {
	if e.OTLP == nil {
		return []byte{}
	}
	return e.OTLP
}

// envelopes decodes each resource and scope once.
type envelopes struct {
	tx        *sql.Tx
	resources map[int64]*model.Resource
	scopes    map[int64]*model.Scope
}

func newEnvelopes(tx *sql.Tx) *envelopes {
	return &envelopes{tx: tx, resources: map[int64]*model.Resource{}, scopes: map[int64]*model.Scope{}}
}

func (e *envelopes) decode(ctx context.Context, s storedSpan) (model.Span, error) {
	resource, err := lookup(ctx, e.tx, e.resources, s.resource, otlp.DecodeResource)
	if err != nil {
		return model.Span{}, err
	}
	scope, err := lookup(ctx, e.tx, e.scopes, s.scope, otlp.DecodeScope)
	if err != nil {
		return model.Span{}, err
	}
	span, err := otlp.DecodeSpan(s.otlp, resource, scope)
	if err != nil {
		return span, fmt.Errorf("%w: %w", errChunk, err)
	}
	return span, nil
}

func lookup[T any](ctx context.Context, tx *sql.Tx, known map[int64]*T, id int64, decode func([]byte) (*T, error)) (*T, error) {
	if v := known[id]; v != nil {
		return v, nil
	}
	var raw []byte
	err := tx.QueryRowContext(ctx, "SELECT otlp FROM envelope WHERE id = ?", id).Scan(&raw)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, errEnvelope
	}
	if err != nil {
		return nil, err
	}
	v, err := decode(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errEnvelope, err)
	}
	known[id] = v
	return v, nil
}
