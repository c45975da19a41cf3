package main

import (
	"flag"
	"fmt"
	"io"
	"net/url"
)

// The defaults of the command line; compose/compose.yaml sets the same variables.
const (
	defaultAddr       = "127.0.0.1:8080"
	defaultOllama     = "http://127.0.0.1:11434"
	defaultWeaviate   = "http://127.0.0.1:8081"
	defaultChatModel  = "llama3.2:1b"
	defaultEmbedModel = "nomic-embed-text"
)

// A config says where things are.
type config struct {
	addr       string // host:port to listen on
	ollama     string // base URL
	weaviate   string // base URL
	chatModel  string
	embedModel string
}

// parseConfig reads the command line; what it leaves out comes from the environment, then from the defaults.
func parseConfig(args []string, getenv func(string) string, usage io.Writer) (config, error) {
	var c config
	flags := flag.NewFlagSet("ragapp", flag.ContinueOnError)
	flags.SetOutput(usage)
	text := func(p *string, name, variable, value, help string) {
		if v := getenv(variable); v != "" {
			value = v
		}
		flags.StringVar(p, name, value, help+" ($"+variable+")")
	}
	text(&c.addr, "addr", "ADDR", defaultAddr, "`host:port` to listen on")
	text(&c.ollama, "ollama", "OLLAMA_URL", defaultOllama, "base `URL` of Ollama")
	text(&c.weaviate, "weaviate", "WEAVIATE_URL", defaultWeaviate, "base `URL` of Weaviate")
	text(&c.chatModel, "chat-model", "CHAT_MODEL", defaultChatModel, "`name` of the model that answers")
	text(&c.embedModel, "embed-model", "EMBED_MODEL", defaultEmbedModel, "`name` of the model that embeds")
	if err := flags.Parse(args); err != nil {
		return config{}, err
	}
	if flags.NArg() > 0 {
		return config{}, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	for name, value := range map[string]string{"-ollama": c.ollama, "-weaviate": c.weaviate} {
		if u, err := url.Parse(value); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return config{}, fmt.Errorf("%s %q is not a URL: write it like http://127.0.0.1:11434", name, value)
		}
	}
	return c, nil
}
