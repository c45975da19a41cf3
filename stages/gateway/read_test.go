package gateway

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/stages"
)

func named(name string, d time.Duration) stages.NamedTiming {
	return stages.NamedTiming{Name: name, Timing: stages.Timing{D: d, Source: stages.Reported}}
}

func reported(n int64) stages.Count { return stages.Count{N: n, Source: stages.Reported} }

func header(lines ...string) http.Header {
	h := make(http.Header)
	for _, l := range lines {
		k, v, _ := strings.Cut(l, ": ")
		h.Add(k, v)
	}
	return h
}

func TestRead(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		head http.Header
		want stages.GatewayFacts
	}{
		"none": {header("content-type: application/json"), stages.GatewayFacts{}},
		"litellm": {
			header("x-litellm-response-duration-ms: 812.5", "x-litellm-overhead-duration-ms: 12.25", "x-litellm-callback-duration-ms: 0.5",
				"x-litellm-attempted-retries: 2", "x-litellm-attempted-fallbacks: 0",
				"x-litellm-model-api-base: https://user:pw@llm.example:8443/v1/key?k=secret",
				"x-litellm-timing-pre-processing-ms: 3", "x-litellm-timing-llm-api-ms: 800"),
			stages.GatewayFacts{
				Upstream: "https://llm.example:8443", Retries: reported(2), Fallbacks: reported(0),
				Overhead: stages.Timing{D: 12250 * time.Microsecond, Source: stages.Reported},
				Timings: []stages.NamedTiming{
					named("litellm.response", 812500*time.Microsecond), named("litellm.overhead", 12250*time.Microsecond),
					named("litellm.callback", 500*time.Microsecond),
					named("litellm.timing.llm-api", 800*ms), named("litellm.timing.pre-processing", 3*ms),
				},
			},
		},
		"litellm on a stream writes None": {
			header("x-litellm-response-duration-ms: None", "x-litellm-overhead-duration-ms: None", "x-litellm-attempted-retries: None",
				"x-litellm-model-api-base: None"),
			stages.GatewayFacts{},
		},
		"envoy": {
			header("x-envoy-upstream-service-time: 41", "x-envoy-attempt-count: 2"),
			stages.GatewayFacts{Retries: reported(1), Timings: []stages.NamedTiming{named("envoy.upstream_ttfb", 41*ms)}},
		},
		"nginx": {
			header("x-upstream-connect-time: 0.001", "x-upstream-header-time: 0.120, 0.030 : 0.050", "x-upstream-response-time: 0.500"),
			stages.GatewayFacts{Timings: []stages.NamedTiming{named("nginx.upstream_connect", ms), named("nginx.upstream_header", 200*ms)}},
		},
		"nginx reached nobody": {header("x-upstream-header-time: -"), stages.GatewayFacts{}},
		"not nginx":            {header("x-upstream-header-time: 120"), stages.GatewayFacts{}},
		"openai":               {header("openai-processing-ms: 523"), stages.GatewayFacts{Timings: []stages.NamedTiming{named("openai.processing", 523*ms)}}},
		"no durations": {
			header("openai-processing-ms: -1", "x-envoy-upstream-service-time: NaN", "x-litellm-response-duration-ms: 1e300",
				"x-litellm-overhead-duration-ms:  "),
			stages.GatewayFacts{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got stages.GatewayFacts
			Read(&got, c.head)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestServerTiming(t *testing.T) {
	for line, want := range map[string][]stages.NamedTiming{
		`db;dur=53.2`:                         {named("server_timing.db", 53200*time.Microsecond)},
		` db ; dur = 53 , app;dur=1`:          {named("server_timing.db", 53*time.Millisecond), named("server_timing.app", time.Millisecond)},
		`cache;desc="a, b; dur=9 \" x";dur=2`: {named("server_timing.cache", 2*time.Millisecond)},
		`q;dur="4"`:                           {named("server_timing.q", 4*time.Millisecond)},
		`a;dur=1;dur=2`:                       {named("server_timing.a", time.Millisecond)},
		`a;DUR=1`:                             {named("server_timing.a", time.Millisecond)},
		`miss, hit;desc=x`:                    nil,
		`;dur=1`:                              nil,
		`a b;dur=1,c;dur=2`:                   {named("server_timing.c", 2*time.Millisecond)},
		`a;desc="no end;dur=1`:                nil,
		`a;dur=`:                              nil,
		`,,,`:                                 nil,
		`a;dur=1,,b;dur=0`:                    {named("server_timing.a", time.Millisecond), named("server_timing.b", 0)},
	} {
		var g stages.GatewayFacts
		Read(&g, header("Server-Timing: "+line))
		if diff := cmp.Diff(want, g.Timings); diff != "" {
			t.Errorf("%s (-want +got):\n%s", line, diff)
		}
	}
}

// A trailer knows what the head could not, and corrects what it said.
func TestTrailer(t *testing.T) {
	var g stages.GatewayFacts
	Read(&g, header("Server-Timing: total;dur=5", "Server-Timing: db;dur=1"))
	ReadTrailer(&g, header("Server-Timing: total;dur=90", "X-Request-Time: 0.091"))
	want := []stages.NamedTiming{
		named("server_timing.total", 90*time.Millisecond), named("server_timing.db", time.Millisecond),
		named("nginx.request", 91*time.Millisecond),
	}
	if diff := cmp.Diff(want, g.Timings); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestManyTimingsAreBounded(t *testing.T) {
	var g stages.GatewayFacts
	Read(&g, header("Server-Timing: "+strings.Repeat("x;dur=1,", 10)+strings.Repeat("y", 1000)+";dur=1"))
	if len(g.Timings) != 1 {
		t.Errorf("%d timings, want 1", len(g.Timings))
	}
	for i := range 1000 {
		Read(&g, header("Server-Timing: n"+strings.Repeat("a", i%60)+string(rune('a'+i%26))+";dur=1"))
	}
	if len(g.Timings) > maxTimings {
		t.Errorf("%d timings, want at most %d", len(g.Timings), maxTimings)
	}
}

func FuzzServerTiming(f *testing.F) {
	f.Add(`db;dur=53.2, cache;desc="a, b";dur=2`)
	f.Add(`a;dur="`)
	f.Add("\\\"=;,")
	f.Fuzz(func(t *testing.T, line string) {
		var g stages.GatewayFacts
		h := http.Header{"Server-Timing": {line}, "X-Upstream-Header-Time": {line}, "X-Litellm-Model-Api-Base": {line}}
		Read(&g, h)
		ReadTrailer(&g, h)
		if len(g.Timings) > maxTimings {
			t.Fatalf("%d timings", len(g.Timings))
		}
		for _, x := range g.Timings {
			if x.D < 0 || x.Name == "" {
				t.Fatalf("%+v", x)
			}
		}
	})
}
