// Pgvector is a program that searches vectors in PostgreSQL, with the hooks that make a stage of every search.
//
// A database is not called by HTTP, so tracer.Transport does not see it. In its place stand two hooks, of which a program
// copies the one for the library that it uses:
//
//   - sqlhook.go, sqlrows.go and stage.go for database/sql: traced wraps the driver's connector;
//   - pgxhook.go and stage.go for pgx: queryTracer is the Tracer of its configuration.
//
// Both know a search by its text (package stages/pgvector). The span tells the system, the operation, how many rows were
// asked for and how many came; neither the statement nor its arguments, nor an error's text, which may quote them. Rows,
// errors and cancellation are those of the driver. Statements that are no search make no stage.
//
// The program keeps a thousand points in a table and answers which are nearest to a place, so that it needs no model:
//
//	go run ./examples/pgvector -database 'postgres://postgres@127.0.0.1/postgres'
//	curl '127.0.0.1:8080/?near=2.1,3,4.8&k=3'
//	curl '127.0.0.1:8080/?near=2.1,3,4.8&k=3&by=pgx'
//
// It takes the extension vector (pgvector) where the server has it, else cube, which comes with PostgreSQL.
package main
