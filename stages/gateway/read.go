package gateway

import (
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/ragtrace/ragtrace/stages"
)

// maxTimings bounds what one exchange keeps: who writes headers may write many.
const maxTimings = 32

// A field is a header with a duration, or a number of them, and the name that it gets.
type field struct {
	header, name string
	parse        func(string) (stages.Timing, bool)
}

// fields of the answer's head.
var fields = []field{
	// The whole call as LiteLLM saw it, and that less the provider's part. On streams both end with the head.
	{"X-Litellm-Response-Duration-Ms", "litellm.response", millis},
	{"X-Litellm-Overhead-Duration-Ms", overhead, millis},
	{"X-Litellm-Callback-Duration-Ms", "litellm.callback", millis},
	// From the request complete to the head of the upstream's answer, retries included: no total.
	{"X-Envoy-Upstream-Service-Time", "envoy.upstream_ttfb", millis},
	// $upstream_connect_time and $upstream_header_time under the names that people give them. $upstream_response_time and
	// $request_time are not known yet when a head leaves.
	{"X-Upstream-Connect-Time", "nginx.upstream_connect", nginxSeconds},
	{"X-Upstream-Header-Time", "nginx.upstream_header", nginxSeconds},
	// OpenAI's front door; on streams up to the head.
	{"Openai-Processing-Ms", "openai.processing", millis},
}

// inTrailer are fields that say something only in a trailer.
var inTrailer = []field{
	{"X-Upstream-Response-Time", "nginx.upstream_response", nginxSeconds},
	{"X-Request-Time", "nginx.request", nginxSeconds},
}

const (
	overhead     = "litellm.overhead"
	timingPrefix = "X-Litellm-Timing-" // with LITELLM_DETAILED_TIMING=true
)

// Read adds what the head of an answer says to g. What cannot be a duration, and LiteLLM's "None", is left out.
func Read(g *stages.GatewayFacts, head http.Header) {
	read(g, head, fields)
	detailed(g, head)
	serverTiming(g, head)
	count(&g.Retries, head, "X-Litellm-Attempted-Retries", 0)
	count(&g.Retries, head, "X-Envoy-Attempt-Count", 1)
	count(&g.Fallbacks, head, "X-Litellm-Attempted-Fallbacks", 0)
	if base := first(head, "X-Litellm-Model-Api-Base"); base != "" {
		if u, err := url.Parse(base); err == nil && u.Host != "" {
			g.Upstream = (&url.URL{Scheme: u.Scheme, Host: u.Host}).String() // a path or query may hold a key
		}
	}
}

// ReadTrailer adds what the trailer of an answer says to g.
func ReadTrailer(g *stages.GatewayFacts, trailer http.Header) {
	read(g, trailer, fields)
	read(g, trailer, inTrailer)
	serverTiming(g, trailer)
}

func read(g *stages.GatewayFacts, h http.Header, fields []field) {
	for i := range fields {
		f := &fields[i]
		value := first(h, f.header)
		if value == "" {
			continue // most of the time, and failing to parse allocates
		}
		t, ok := f.parse(value)
		if !ok {
			continue
		}
		add(g, f.name, t)
		if f.name == overhead {
			g.Overhead = t
		}
	}
}

// first is h.Get for a name that is written as net/http keeps it, which saves looking at each of its letters.
func first(h http.Header, name string) string {
	if values := h[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// detailed reads LiteLLM's x-litellm-timing-*: WHAT-ms, or WHAT, in milliseconds.
func detailed(g *stages.GatewayFacts, h http.Header) {
	var names []string
	for name := range h {
		if strings.HasPrefix(name, timingPrefix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if t, ok := millis(h.Get(name)); ok {
			what := strings.ToLower(strings.TrimPrefix(name, timingPrefix))
			add(g, "litellm.timing."+strings.TrimSuffix(what, "-ms"), t)
		}
	}
}

// add keeps a figure; of a name that comes again, as in a trailer, the last one counts.
func add(g *stages.GatewayFacts, name string, t stages.Timing) {
	for i := range g.Timings {
		if g.Timings[i].Name == name {
			g.Timings[i].Timing = t
			return
		}
	}
	if len(g.Timings) < maxTimings {
		g.Timings = append(g.Timings, stages.NamedTiming{Name: name, Timing: t})
	}
}

func millis(s string) (stages.Timing, bool) {
	ms, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil {
		return stages.Timing{}, false
	}
	t, bad := stages.ReportedMillis(ms)
	return t, !bad
}

// nginxSeconds reads seconds with three decimals, as nginx writes them: one for each server that was asked, separated by
// commas and colons, "-" for one that was not reached. They add up. Another way of writing is another's header.
func nginxSeconds(s string) (stages.Timing, bool) {
	sum, any := 0.0, false
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ':' || r == ' ' }) {
		if part == "-" {
			continue
		}
		_, decimals, _ := strings.Cut(part, ".")
		sec, err := strconv.ParseFloat(part, 64)
		if err != nil || len(decimals) != 3 || math.Signbit(sec) {
			return stages.Timing{}, false
		}
		sum, any = sum+sec, true
	}
	if !any {
		return stages.Timing{}, false
	}
	t, bad := stages.ReportedSeconds(sum)
	return t, !bad
}

// count reads a number of attempts, of which base are none of those that c counts.
func count(c *stages.Count, h http.Header, name string, base int64) {
	value := first(h, name)
	if value == "" {
		return
	}
	if n, err := strconv.ParseInt(value, 10, 64); err == nil && n >= base {
		*c = stages.Count{N: n - base, Source: stages.Reported}
	}
}
