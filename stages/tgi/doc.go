// Package tgi reads text-generation-inference's own API: /generate and /generate_stream. Its chat completions are
// OpenAI's.
//
// In come headers and what the bodies say, value by value; out go stages.Facts. What the fields mean was read in TGI
// db931fcf (router/src/server.rs, generate_internal and generate_stream_internal; router/src/lib.rs). It imports stages
// and stream.
package tgi
