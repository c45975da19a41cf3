package main

import (
	"io"
	"testing"
)

func TestParseConfig(t *testing.T) {
	for _, c := range []struct {
		name         string
		args         []string
		env          map[string]string
		addr, ollama string
		limit        int
		err          string
	}{
		{"defaults", nil, nil, "127.0.0.1:11435", "http://127.0.0.1:11434", 4, ""},
		{"environment", nil, map[string]string{"ADDR": ":1", "OLLAMA_URL": "https://gpu/x", "LIMIT": "2"}, ":1", "https://gpu/x", 2, ""},
		{"arguments win", []string{"-addr", ":3", "-limit", "9"}, map[string]string{"ADDR": ":1", "LIMIT": "2"}, ":3", "http://127.0.0.1:11434", 9, ""},
		{"no URL", []string{"-ollama", "gpu:11434"}, nil, "", "", 0, `-ollama "gpu:11434" is not a URL: write it like http://127.0.0.1:11434`},
		{"no number", nil, map[string]string{"LIMIT": "many"}, "", "", 0, `-limit "many" is not a number from 1`},
		{"nobody at a time", []string{"-limit", "0"}, nil, "", "", 0, `-limit "0" is not a number from 1`},
		{"argument", []string{"x"}, nil, "", "", 0, `unexpected argument "x"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseConfig(c.args, func(name string) string { return c.env[name] }, io.Discard)
			if c.err != "" {
				if err == nil || err.Error() != c.err {
					t.Errorf("error %v, want %s", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got.addr != c.addr || got.ollama.String() != c.ollama || got.limit != c.limit {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestJaegerConfig(t *testing.T) {
	for _, c := range []struct{ variable, value, endpoint string }{
		{"JAEGER_ENDPOINT", "", "http://127.0.0.1:14268/api/traces"},
		{"JAEGER_ENDPOINT", "http://jaeger:14268/api/traces", "http://jaeger:14268/api/traces"},
	} {
		t.Setenv(c.variable, c.value)
		got, err := jaegerConfig()
		if err != nil {
			t.Fatal(err)
		}
		if got.Reporter.CollectorEndpoint != c.endpoint || got.ServiceName != "legacy-gateway" || got.Sampler.Param != 1 {
			t.Errorf("%q: %+v", c.value, got)
		}
	}
}
