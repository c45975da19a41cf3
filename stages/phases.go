package stages

import "time"

// A Phase is a stretch of server time inside one exchange, placed on the exchange's clock.
type Phase struct {
	Name       string // the span's name: llm.load, llm.validation, rerank.server, ...
	Stage      Stage
	Start, End time.Duration // from the exchange's start
	Source     Source
}
