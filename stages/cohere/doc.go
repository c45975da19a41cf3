// Package cohere reads Cohere's embed API, v1 and v2. Its rerank, which others speak too, is in package rerank.
//
// In comes what the bodies say, value by value; out go stages.Facts. What the fields mean was read in Cohere's API
// reference (docs.cohere.com, embed). Cohere reports no time. It imports stages and stream.
package cohere
