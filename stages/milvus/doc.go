// Package milvus reads Milvus' REST API, v2 and v1: searches, writes and other reads of a collection's entities.
//
// In comes what the bodies say, value by value; out go stages.Facts. What the fields mean was read in milvus.io's API
// reference, v2.2 to v2.6. Milvus reports no time: cost counts compute units. It imports stages and stream.
package milvus
