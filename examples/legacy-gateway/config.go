package main

import (
	"flag"
	"fmt"
	"io"
	"net/url"
	"strconv"

	"github.com/uber/jaeger-client-go"
	jaegerconfig "github.com/uber/jaeger-client-go/config"
)

// The defaults of the command line.
const (
	defaultAddr     = "127.0.0.1:11435"
	defaultOllama   = "http://127.0.0.1:11434"
	defaultLimit    = 4
	defaultEndpoint = "http://127.0.0.1:14268/api/traces"
)

// A config says where things are.
type config struct {
	addr   string // host:port to listen on
	ollama *url.URL
	limit  int // requests at a time
}

// parseConfig reads the command line; what it leaves out comes from the environment, then from the defaults.
func parseConfig(args []string, getenv func(string) string, usage io.Writer) (config, error) {
	var c config
	or := func(variable, value string) string {
		if v := getenv(variable); v != "" {
			return v
		}
		return value
	}
	flags := flag.NewFlagSet("legacy-gateway", flag.ContinueOnError)
	flags.SetOutput(usage)
	flags.StringVar(&c.addr, "addr", or("ADDR", defaultAddr), "`host:port` to listen on ($ADDR)")
	ollama := flags.String("ollama", or("OLLAMA_URL", defaultOllama), "base `URL` of Ollama ($OLLAMA_URL)")
	limit := flags.String("limit", or("LIMIT", strconv.Itoa(defaultLimit)), "let `n` requests at a time through to Ollama ($LIMIT)")
	if err := flags.Parse(args); err != nil {
		return config{}, err
	}
	if flags.NArg() > 0 {
		return config{}, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	var err error
	if c.ollama, err = url.Parse(*ollama); err != nil || c.ollama.Host == "" || (c.ollama.Scheme != "http" && c.ollama.Scheme != "https") {
		return config{}, fmt.Errorf("-ollama %q is not a URL: write it like %s", *ollama, defaultOllama)
	}
	if c.limit, err = strconv.Atoi(*limit); err != nil || c.limit < 1 {
		return config{}, fmt.Errorf("-limit %q is not a number from 1", *limit)
	}
	return c, nil
}

// jaegerConfig is the configuration of jaeger-client-go: every trace is kept unless the caller or the environment says
// otherwise, and spans go over Thrift and HTTP.
func jaegerConfig() (*jaegerconfig.Configuration, error) {
	c := &jaegerconfig.Configuration{
		ServiceName: "legacy-gateway",
		Sampler:     &jaegerconfig.SamplerConfig{Type: jaeger.SamplerTypeConst, Param: 1},
		Reporter:    &jaegerconfig.ReporterConfig{CollectorEndpoint: defaultEndpoint},
	}
	return c.FromEnv()
}
