package attr

import "os"

// Dup reports whether older names are to be written beside the newest ones: RAGTRACE_SEMCONV=dup.
//
// RAGTRACE_SEMCONV=latest is the default, and OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental asks for the same
// thing, so it needs no reading. An unknown value is taken as the default: a typing error must not stop an application.
func Dup() bool { return os.Getenv("RAGTRACE_SEMCONV") == "dup" }
