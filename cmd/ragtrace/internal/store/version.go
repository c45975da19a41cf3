package store

import (
	"context"
	"fmt"
)

// Version is a word that changes whenever questions may have come, changed or gone. It costs no more than a look at a few
// rows.
func (s *Store) Version(ctx context.Context) (string, error) {
	var changed, last, newest, writes int64
	err := s.db.QueryRowContext(ctx, `SELECT
		(SELECT count(*) FROM changed),
		(SELECT coalesce(max(at), 0) FROM changed WHERE at < ?),
		(SELECT coalesce(max(id), 0) FROM trace),
		(SELECT writes FROM question_format)`, givenUp).Scan(&changed, &last, &newest, &writes)
	if err != nil {
		return "", s.fail("read store", err)
	}
	return fmt.Sprintf("%d-%d-%d-%d", changed, last, newest, writes), nil
}
