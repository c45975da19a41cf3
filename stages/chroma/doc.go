// Package chroma reads Chroma's REST API, v1 and v2: queries, writes and other reads of a collection's records.
//
// In comes what the bodies say, value by value; out go stages.Facts. What the fields mean was read in Chroma's source
// (rust/frontend/src/server.rs, rust/types/src/api_types.rs, chromadb/server/fastapi of the v1 API) and its
// documentation (docs.trychroma.com). Chroma reports no time of its own. It imports stages and stream.
package chroma
