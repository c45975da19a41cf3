package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

// A store is a database, opened once with each library.
type store struct {
	sql       *sql.DB
	pgx       *pgxpool.Pool
	extension extension
}

// open connects to a database and makes its table. database is a URL, or pairs of a key and a value, as libpq takes them.
func open(ctx context.Context, database string) (*store, error) {
	config, err := pgxpool.ParseConfig(database)
	if err != nil {
		return nil, fmt.Errorf("-database: %w", err)
	}
	s := &store{sql: sql.OpenDB(traced(stdlib.GetConnector(*config.ConnConfig.Copy())))}
	config.ConnConfig.Tracer = queryTracer{}
	if s.pgx, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the database: %w", err), s.sql.Close())
	}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *store) close() error {
	s.pgx.Close()
	return s.sql.Close()
}

// prepare finds an extension with vectors, and fills the table with a grid of ten by ten by ten points.
func (s *store) prepare(ctx context.Context) error {
	var available []string
	const list = `SELECT array_agg(name::text) FROM pg_available_extensions WHERE name IN ('vector', 'cube')`
	if err := s.pgx.QueryRow(ctx, list).Scan(&available); err != nil {
		return fmt.Errorf("asking the database for its extensions: %w", err)
	}
	i := slices.IndexFunc(extensions, func(e extension) bool { return slices.Contains(available, e.name) })
	if i < 0 {
		return errors.New("the database has neither the extension vector nor cube: install pgvector, or PostgreSQL's contrib")
	}
	s.extension = extensions[i]
	for _, statement := range s.extension.setUp() {
		if _, err := s.pgx.Exec(ctx, statement); err != nil {
			return fmt.Errorf("making the table points: %w", err)
		}
	}
	return nil
}

// searchSQL finds the names of the k points nearest to a place, through database/sql.
func (s *store) searchSQL(ctx context.Context, place []string, k int) (names []string, err error) {
	found, err := s.sql.QueryContext(ctx, s.extension.search(), s.extension.literal(place), k)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	for found.Next() {
		var name string
		if err := found.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, found.Err()
}

// searchPgx does the same through pgx.
func (s *store) searchPgx(ctx context.Context, place []string, k int) ([]string, error) {
	found, err := s.pgx.Query(ctx, s.extension.search(), s.extension.literal(place), k)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(found, pgx.RowTo[string])
}

// An extension has a type for vectors and the operator <-> for their Euclidean distance.
type extension struct {
	name          string // and the type's
	column        string // the type with its dimensions, where it has them
	array         string // the array that becomes a vector
	index         string
	opening, shut string // of a vector as text
}

// extensions are what the program can use, the better first.
var extensions = []extension{
	{name: "vector", column: "vector(3)", array: "%s::real[]::vector", index: "hnsw (place vector_l2_ops)", opening: "[", shut: "]"},
	{name: "cube", column: "cube", array: "cube(%s::float8[])", index: "gist (place)", opening: "(", shut: ")"},
}

func (e extension) setUp() []string {
	return []string{
		"CREATE EXTENSION IF NOT EXISTS " + e.name,
		"CREATE TABLE IF NOT EXISTS points (name text PRIMARY KEY, place " + e.column + ")",
		"INSERT INTO points SELECT concat_ws(' ', x, y, z), " + fmt.Sprintf(e.array, "ARRAY[x, y, z]") +
			" FROM generate_series(0, 9) x, generate_series(0, 9) y, generate_series(0, 9) z ON CONFLICT DO NOTHING",
		"CREATE INDEX IF NOT EXISTS points_place ON points USING " + e.index,
	}
}

func (e extension) search() string {
	return "SELECT name FROM points ORDER BY place <-> $1::" + e.name + " LIMIT $2"
}

func (e extension) literal(place []string) string {
	return e.opening + strings.Join(place, ",") + e.shut
}
