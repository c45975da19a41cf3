// Package ask presses Enter: it sends questions to a RAG application or a model server, and notes each exchange as its
// client sees it.
//
// In: a URL, prompts, how often and how fast. Out: a timings.Result for each question, on the client's clock, and recordings
// of the exchanges, in which the texts are replaced by filler of the same length unless they are asked for. The answer's
// bytes are only stamped and kept while they come; what they say is worked out when the exchange is over, from the same
// recording that can be written to a file.
//
// It may import timings, stages/recording, and of tracer the names of its headers.
package ask
