package pgvector

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/stages"
)

func found(op, table string, k int64, arg int) Statement {
	return Statement{Operation: stages.OpSearch, Operator: op, Table: table, TopK: k, TopKArg: arg}
}

// The statements are after pgvector's README, unless a remark says otherwise.
func TestSearches(t *testing.T) {
	for sql, want := range map[string]Statement{
		"SELECT * FROM items ORDER BY embedding <-> '[3,1,2]' LIMIT 5":                                         found("<->", "items", 5, 0),
		"select id from items order by embedding<#>$1 limit $2":                                                found("<#>", "items", 0, 2),
		`SELECT "id" FROM "Public"."Items" ORDER BY "embedding" <=> $1::vector LIMIT 10 OFFSET 20`:             found("<=>", "Public.Items", 10, 0),
		"SELECT * FROM s.items i WHERE category_id = 123 ORDER BY i.embedding <+> $1 ASC LIMIT 5;":             found("<+>", "s.items", 5, 0),
		"SELECT * FROM items ORDER BY embedding <~> '101' FETCH FIRST 3 ROWS ONLY":                             found("<~>", "items", 3, 0),
		"SELECT * FROM items ORDER BY embedding <%> '101' FETCH FIRST ROW ONLY":                                found("<%>", "items", 1, 0),
		"SELECT * FROM ONLY items ORDER BY embedding <-> $1 LIMIT ALL FETCH NEXT 2 ROWS ONLY":                  found("<->", "items", 2, 0),
		"SELECT embedding <-> $1 AS distance FROM items ORDER BY distance LIMIT 5":                             found("<->", "items", 5, 0),
		"SELECT id, 1 - (embedding <=> $1) AS similarity, x FROM items ORDER BY similarity DESC LIMIT 5":       found("<=>", "items", 5, 0),
		"SELECT id, embedding <=> $1 FROM items ORDER BY 2 LIMIT 5":                                            found("<=>", "items", 5, 0),
		"SELECT * FROM items ORDER BY (embedding <=> $1), id LIMIT 5":                                          found("<=>", "items", 5, 0),
		"SELECT * FROM items ORDER BY embedding::halfvec(3) <-> '[1,2,3]' LIMIT (5)":                           found("<->", "items", 5, 0),
		"SELECT * FROM items ORDER BY embedding <-> ? LIMIT ?":                                                 found("<->", "items", 0, 0),
		"SELECT * FROM items ORDER BY embedding<->? LIMIT 4":                                                   found("<->", "items", 4, 0),
		"SELECT * FROM items ORDER BY embedding <=> %(v)s::vector LIMIT %(k)s":                                 found("<=>", "items", 0, 0),
		"SELECT * FROM items ORDER BY embedding<=>@v LIMIT @k":                                                 found("<=>", "items", 0, 0),
		"SELECT * FROM items ORDER BY embedding <-> (SELECT embedding FROM items WHERE id = 1) LIMIT 5":        found("<->", "items", 5, 0),
		"SELECT * FROM items ORDER BY embedding <-> $1 LIMIT 5 FOR UPDATE":                                     found("<->", "items", 5, 0),
		"BEGIN; SET LOCAL hnsw.ef_search = 100; SELECT * FROM items ORDER BY embedding <-> $1 LIMIT 5; COMMIT": found("<->", "items", 5, 0),
		// comments and strings
		"/* LIMIT 9 /* nested */ ORDER BY */ SELECT 'x''; LIMIT 7' -- FROM nowhere\nFROM items ORDER BY v <-> E'\\'LIMIT 3' LIMIT 5": found("<->", "items", 5, 0),
		"SELECT $x$ ' INSERT $y$ $x$ FROM items ORDER BY v <-> $1 LIMIT 5":                                                           found("<->", "items", 5, 0),
		// an outer limit is the better one, an inner table the right one
		"SELECT * FROM (SELECT * FROM items ORDER BY binary_quantize(embedding)::bit(3) <~> binary_quantize('[1,-2,3]') LIMIT 20) ORDER BY embedding <=> '[1,-2,3]' LIMIT 5":            found("<=>", "items", 5, 0),
		"WITH nearest AS MATERIALIZED (SELECT id, embedding <-> '[1,2,3]' AS distance FROM items ORDER BY distance LIMIT 5) SELECT * FROM nearest WHERE distance < 5 ORDER BY distance": found("<->", "items", 5, 0),
		// hybrid search, after pgvector-python's example: the words' limit is not the vectors'
		"WITH semantic AS (SELECT id, RANK() OVER (ORDER BY embedding <=> $1) AS rank FROM docs ORDER BY embedding <=> $1 LIMIT 20), words AS (SELECT id FROM docs, plainto_tsquery('english', $2) q WHERE to_tsvector('english', content) @@ q ORDER BY ts_rank_cd(to_tsvector(content), q) DESC LIMIT 30) SELECT COALESCE(semantic.id, words.id) FROM semantic FULL OUTER JOIN words ON semantic.id = words.id": found("<=>", "docs", 20, 0),
	} {
		if diff := cmp.Diff(want, Parse(sql)); diff != "" {
			t.Errorf("%s\n(-want +got):\n%s", sql, diff)
		}
	}
}

func TestNoSearches(t *testing.T) {
	for _, sql := range []string{
		"",
		"SELECT 1",
		"SELECT * FROM items ORDER BY id LIMIT 5",
		"SELECT * FROM items ORDER BY embedding <-> $1",                                  // no limit: every row comes
		"SELECT * FROM items ORDER BY embedding <-> $1 LIMIT ALL",                        // the same
		"SELECT * FROM items WHERE embedding <-> $1 < 5 LIMIT 5",                         // in no order
		"SELECT AVG(embedding <-> $1) AS a FROM items ORDER BY a LIMIT 1",                // a figure about all rows
		"SELECT * FROM items ORDER BY ts_rank(t, 'a'::tsquery <-> 'b'::tsquery) LIMIT 5", // words that follow each other
		"SELECT 'ORDER BY embedding <-> x LIMIT 5'",
		"SELECT * FROM items -- ORDER BY embedding <-> $1 LIMIT 5",
		"SELECT data->'a' FROM items ORDER BY data->>'b' LIMIT 5",
		"INSERT INTO items (embedding) VALUES ('[1,2,3]')",
		"INSERT INTO found SELECT * FROM items ORDER BY embedding <-> $1 LIMIT 5",
		"UPDATE items SET near = (SELECT id FROM items ORDER BY embedding <-> $1 LIMIT 1)",
		"DELETE FROM items WHERE id IN (SELECT id FROM items ORDER BY embedding <-> $1 LIMIT 5)",
		"WITH gone AS (DELETE FROM items RETURNING *) SELECT * FROM gone ORDER BY embedding <-> $1 LIMIT 5",
		"WITH n AS (SELECT id FROM items ORDER BY embedding <-> $1 LIMIT 5) INSERT INTO found SELECT * FROM n",
		"WITH n AS (SELECT id FROM items ORDER BY embedding <-> $1 LIMIT 5) UPDATE items SET x = 1 FROM n",
		"SELECT * INTO found FROM items ORDER BY embedding <-> $1 LIMIT 5",
		"CREATE TABLE found AS SELECT * FROM items ORDER BY embedding <-> $1 LIMIT 5",
		"CREATE INDEX ON items USING hnsw (embedding vector_l2_ops)",
		"COPY (SELECT * FROM items ORDER BY embedding <-> $1 LIMIT 5) TO STDOUT",
		"EXPLAIN ANALYZE SELECT * FROM items ORDER BY embedding <-> $1 LIMIT 5", // no rows of the table come
		"SELECT * FROM items ORDER BY embedding <-> $1 LIMIT 5; DELETE FROM items",
		"SELECT * FROM items ORDER BY embedding <-> '[1,2,3] LIMIT 5", // a string without its end
		strings.Repeat("(", 100) + "SELECT * FROM items ORDER BY v <-> $1 LIMIT 5" + strings.Repeat(")", 100),
	} {
		if got := Parse(sql); got != (Statement{}) {
			t.Errorf("%s: %+v, want no search", sql, got)
		}
	}
}

// A vector of 10,000 numbers in the text costs no memory for itself.
func TestLongVectorCostsNoMemory(t *testing.T) {
	sql := "SELECT id FROM items ORDER BY embedding <-> '[" + strings.Repeat("0.12345,", 10_000) + "1]' LIMIT 5"
	short := testing.AllocsPerRun(10, func() { Parse("SELECT id FROM items ORDER BY embedding <-> '[1]' LIMIT 5") })
	long := testing.AllocsPerRun(10, func() {
		if Parse(sql).TopK != 5 {
			t.Fatal("not read")
		}
	})
	if long > short {
		t.Errorf("%v allocations, want %v", long, short)
	}
}

// TestWorkIsBounded: no text of a statement's size may take long, whatever is in it. Quadratic work on one of these would
// take minutes.
func TestWorkIsBounded(t *testing.T) {
	for _, piece := range []string{
		"+", "-+", "<->", "$", "$a", "$$", "(", ")", "'", "\"", "\"\"", "/*", "*/", "--", "e'", "a<->b,", ",", ";", ".", "e'\\", "limit ", "from ", "order by ",
	} {
		for _, before := range []string{"", "select ", "select a from t order by a<->b "} {
			Parse(before + strings.Repeat(piece, maxText/8/len(piece)))
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("SELECT a <=> $1 AS d FROM s.\"T\" ORDER BY d LIMIT 5")
	f.Add("WITH a AS (SELECT $$x$$) SELECT /* /* */ */ 'y' -- z\n")
	f.Add(")(;\"'$a$E'\\")
	f.Fuzz(func(t *testing.T, sql string) {
		got := Parse(sql)
		if got.Operation == "" && got != (Statement{}) {
			t.Fatalf("%+v", got)
		}
		if after := Parse("INSERT INTO t " + sql); after.Operation != "" && !strings.Contains(sql, ";") {
			t.Fatalf("a write is a search: %+v", after)
		}
	})
}
