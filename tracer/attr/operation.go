package attr

import (
	"strings"

	"github.com/ragtrace/ragtrace/stages"
)

// Name is the span name of a call that was recognised, as the conventions have it: {operation} {model} for models,
// {operation} {collection} for databases.
func Name(f *stages.Facts) string {
	if database(f.Operation) {
		return join(dbOperation(f), f.Request.Collection)
	}
	return join(string(f.Operation), model(f))
}

func join(a, b string) string {
	if b == "" {
		return a
	}
	return a + " " + b
}

// model is the model asked for, else the one that answered.
func model(f *stages.Facts) string {
	if f.Request.Model != "" {
		return f.Request.Model
	}
	return f.Model
}

// database reports whether op is done by a vector store.
func database(op stages.Operation) bool { return strings.HasPrefix(string(op), "vector.") }

// dbOperation is the operation by the database's own name, else what it amounts to: search, upsert, delete, read.
func dbOperation(f *stages.Facts) string {
	own := f.Request.Operation
	if f.API == stages.APIQdrant {
		// The path after the collection; client libraries call these query_points and so on.
		switch own {
		case "points/query":
			own = "query_points"
		case "points/query/batch":
			own = "query_batch_points"
		case "points/query/groups":
			own = "query_points_groups"
		case "points":
			own = ""
		default:
			own = strings.TrimPrefix(own, "points/")
		}
	}
	if own != "" {
		return own
	}
	return strings.TrimPrefix(string(f.Operation), "vector.")
}
