package tracer

import (
	"fmt"

	"go.opentelemetry.io/otel"
)

// guard, deferred, keeps a panic of this package's own code, or of an SDK below it, from reaching the application.
func guard() {
	if p := recover(); p != nil {
		otel.Handle(fmt.Errorf("ragtrace tracer: recovered from a panic of its own: %v", p))
	}
}
