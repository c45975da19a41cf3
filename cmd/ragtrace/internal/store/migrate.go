package store

import (
	"context"
	"database/sql"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// chunkSpanRows packs the spans of version 1, a row each, into the chunks of version 2. Nothing is known of when they came
// but when they started. All questions are still to be cut.
func chunkSpanRows(ctx context.Context, conn *sql.Conn) error {
	if err := chunkRows(ctx, conn); err != nil {
		return err
	}
	_, err := conn.ExecContext(ctx, `
		DROP TABLE span;
		UPDATE trace SET chunks = (SELECT count(*) FROM chunk WHERE id BETWEEN trace.id << 24 AND (trace.id + 1 << 24) - 1),
			seen = CASE WHEN start < 9223372036854775807 THEN start / 1000000000 ELSE unixepoch() END;
		UPDATE envelope SET seen = unixepoch();
		INSERT INTO changed (trace, at, version) SELECT id, 0, 0 FROM trace WHERE question`)
	return err
}

func chunkRows(ctx context.Context, conn *sql.Conn) error {
	add, err := conn.PrepareContext(ctx, "INSERT INTO chunk (id, data) VALUES (?, ?)")
	if err != nil {
		return err
	}
	defer add.Close()
	setSpans, err := conn.PrepareContext(ctx, "UPDATE trace SET spans = ? WHERE id = ?")
	if err != nil {
		return err
	}
	defer setSpans.Close()
	rows, err := conn.QueryContext(ctx, "SELECT trace, span_id, resource, scope, otlp FROM span ORDER BY trace, id")
	if err != nil {
		return err
	}
	defer rows.Close()
	var content []byte
	var current, next, spans int64
	flush := func() error {
		if len(content) == 0 {
			return nil
		}
		_, err := add.Exec(next, pack(nil, content))
		content = content[:0]
		next++
		return err
	}
	for rows.Next() {
		var trace int64
		var id []byte
		var s storedSpan
		var raw sql.RawBytes
		if err := rows.Scan(&trace, &id, &s.resource, &s.scope, &raw); err != nil {
			return err
		}
		if trace != current {
			if err := flush(); err != nil {
				return err
			}
			if _, err := setSpans.Exec(spans, current); err != nil {
				return err
			}
			current, next, spans = trace, trace<<placeBits, 0
		}
		s.id, s.otlp = model.SpanID(id), raw
		spans++
		if content = appendSpan(content, s); len(content) >= fullChunk {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if err := flush(); err != nil {
		return err
	}
	_, err = setSpans.Exec(spans, current)
	return err
}
