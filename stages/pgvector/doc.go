// Package pgvector recognises vector searches in SQL: a SELECT in the order of a distance, with a limit.
//
// In comes the text of a statement, never its arguments; out goes what it searches and how many rows it wants. The
// operators are pgvector's, of which <-> is also that of cube, pg_trgm and the geometric types: the order of a distance
// all the same. A statement that writes is never a search. It imports stages.
package pgvector
