package tei

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/ragtrace/ragtrace/stages"
)

// means are the headers whose figures are means over the inputs of a request. They do not add up to the total: 32 texts
// in four batches take about four times x-inference-time.
var means = []struct{ header, name string }{
	{"X-Tokenization-Time", "tokenization"},
	{"X-Queue-Time", "queue"},
	{"X-Inference-Time", "inference"},
}

// Head reads the headers of TEI's answers to any of its paths, in whole milliseconds; it does nothing when they are another
// server's. The total counts from the handler's start, with the body read, to the answer made.
//
// TGI sends headers of the same names with other meanings; x-tokenization-time is TEI's alone.
func Head(f *stages.Facts, h http.Header) {
	if h.Get("X-Compute-Type") == "" || h.Get("X-Tokenization-Time") == "" {
		return
	}
	f.API, f.System = stages.APITEI, string(stages.APITEI)
	f.Total = millis(f, h, "X-Total-Time")
	for _, m := range means {
		if t := millis(f, h, m.header); t.Known() {
			f.Other = append(f.Other, stages.NamedTiming{Name: m.name, Timing: t})
		}
	}
	n, err := strconv.ParseInt(h.Get("X-Compute-Tokens"), 10, 64)
	f.InputTokens.Report(n, err == nil)
}

func millis(f *stages.Facts, h http.Header, name string) stages.Timing {
	s := h.Get(name)
	if s == "" {
		return stages.Timing{}
	}
	ms, err := strconv.ParseFloat(s, 64)
	t, bad := stages.ReportedMillis(ms)
	if err != nil || bad {
		f.Flag(stages.FlagBad + strings.ToLower(name))
		return stages.Timing{}
	}
	return t
}
