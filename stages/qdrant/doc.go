// Package qdrant reads Qdrant's REST API: searches, writes and other reads of the points of a collection.
//
// In comes what the bodies say, value by value; out go stages.Facts. What the fields mean was read in Qdrant v1.19
// (src/actix/helpers.rs, lib/api/src/rest/schema.rs, api.qdrant.tech). It imports stages and stream.
package qdrant
