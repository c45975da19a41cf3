// Package sglang reads SGLang's own /generate. Its OpenAI-compatible paths are read by package openai.
//
// The text of a streamed answer is cumulative: every event repeats it from the start. It imports stages and stream.
package sglang
