// Package tei reads text-embeddings-inference: the headers in which every answer of it tells its times, and its own
// embedding paths.
//
// In come headers and what the bodies say, value by value; out go stages.Facts. What the fields mean was read in TEI
// 0d124dc (router/src/lib.rs, ResponseMetadata; router/src/http/server.rs). It imports stages and stream.
package tei
