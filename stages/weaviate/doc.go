// Package weaviate reads Weaviate's REST APIs: GraphQL, the search API beside it, and reads and writes of objects.
//
// In comes what the bodies say, value by value; out go stages.Facts. What the fields mean was read in Weaviate v1.35
// (openapi-specs/schema.json, entities/models) and, for /v1/search, in v1.39 (adapters/handlers/rest/search). GraphQL
// reports no time. It imports stages and stream.
package weaviate
