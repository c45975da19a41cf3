package stages

import (
	"net/http"
	"net/url"
	"time"
)

// A Request is the head of an HTTP request as its sender, or a proxy, sees it.
type Request struct {
	Method string
	URL    *url.URL // host, path and query
	Header http.Header
}

// Marks are the moments of one exchange, as offsets from its start on one monotonic clock. Absent ones did not happen or
// were not seen.
type Marks struct {
	GotConn      Timing // a connection was there
	WroteHeaders Timing // the request's head was written
	WroteRequest Timing // the request's body was written
	Head         Timing // the response's head was read
	FirstToken   Timing // the read that completed the first event with text, reasoning or a tool call
	FirstAnswer  Timing // the same, for text of the answer or a tool call
	LastToken    Timing // the same, for the last token event
	Done         Timing // the event that finishes the answer (done line, finish_reason); for a plain body its last byte
	End          Timing // the body's end, or the moment the client closed it, or the error
}

// Ended says how an exchange came to its end.
type Ended int

const (
	EndedEOF    Ended = iota // the body's clean end
	EndedClosed              // the client closed the body, or cancelled, before its end
	EndedError               // the connection broke, or no answer came
)

// A Status is the outcome of one exchange.
type Status string

const (
	StatusOK         Status = "ok"
	StatusError      Status = "error"      // HTTP status, an error event, a broken connection
	StatusCancelled  Status = "cancelled"  // the client left first
	StatusIncomplete Status = "incomplete" // ended without a finish and without an error
)

// RequestFacts are what the request's body says, whatever the API. Zero values are absent.
type RequestFacts struct {
	Body           bool // some of the body was seen and could be read; else nothing below is known
	Model          string
	Stream         *bool // as sent; what absence means depends on the API
	NumCtx         Count
	KeepAlive      *time.Duration // negative: for ever
	MaxTokens      Count          // max_tokens, max_completion_tokens, num_predict
	Temperature    *float64
	TopP           *float64
	DecodeTopK     Count // top_k of the sampler; not of a search
	Seed           Count
	Inputs         Count // texts to embed; 1 for a single string
	Messages       int
	HasPrompt      bool  // a prompt that is not empty
	HasQuery       bool  // a query text or vector
	Documents      Count // documents or texts to rerank
	TopK           Count // hits asked of a search, or top_n of a rerank
	ReasoningLevel string
	Collection     string // the collection, class or index that the body or the path names
	Operation      string // the operation as the body (GraphQL "Get") or the path ("points/query") names it
	Extra          map[string]bool
}
