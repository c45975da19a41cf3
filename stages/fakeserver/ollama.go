package fakeserver

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// A Kind says what a model is for.
type Kind int

const (
	Chat  Kind = iota // answers
	Embed             // embeds
)

// A Model is one that a scripted Ollama has, in memory or not.
type Model struct {
	Name string // as requests name it; a name without a tag is the tag latest
	Kind Kind

	// Load is how long it takes to bring the model into memory.
	Load time.Duration

	// A prompt, or each text to embed, takes Prefill, and PrefillPerToken for each of its tokens. The first one after a load
	// takes ColdPrefill more.
	Prefill, PrefillPerToken, ColdPrefill time.Duration

	// TokenTime is the time between two tokens: an answer of n tokens has n-1 of them, its end token counted. Sampling is
	// what choosing a token takes beside that; like Ollama's it is in no field but the total.
	TokenTime, Sampling time.Duration

	// TokensPerLine is how many tokens come in one line of a stream; 0 is 1.
	TokensPerLine int

	// Answer returns what the model says to a prompt: for chats, the contents of the messages, joined by line feeds. It is
	// called from several goroutines at a time. nil is a fixed sentence.
	Answer func(prompt string) string

	// Thinking, if not nil, returns what the model thinks before that; the model then has the capability.
	Thinking func(prompt string) string

	// Dim is the length of the vectors; 0 is 256.
	Dim int

	// NumCtx is the context length when the request names none; 0 is 4096.
	NumCtx int
}

// OllamaConfig scripts an Ollama.
type OllamaConfig struct {
	Models []Model

	MaxLoaded int // models in memory at a time, OLLAMA_MAX_LOADED_MODELS; 0 is 3
	Parallel  int // requests that a chat model works on at a time, OLLAMA_NUM_PARALLEL; 0 is 1

	// KeepAlive is how long an unused model stays in memory, OLLAMA_KEEP_ALIVE; 0 is five minutes, negative is for ever.
	KeepAlive time.Duration

	// Handling is what each request costs before its model is asked for: with a warm model, all of load_duration.
	// 0 is 4 ms, negative is none, in which case a warm answer has no load_duration.
	Handling time.Duration

	// Prepare is what each request costs between its model and its slot, for template and tokeniser: in the total only.
	// 0 is 1 ms, negative is none.
	Prepare time.Duration

	Version string // what /api/version says; "" is 0.17.4
	Script  Script
}

// Ollama is a scripted Ollama. It serves /, /api/version, /api/tags, /api/ps, /api/show, /api/chat, /api/generate, /api/embed,
// /api/embeddings, /v1/chat/completions, /v1/completions, /v1/embeddings and /v1/models.
type Ollama struct {
	config   OllamaConfig
	models   []*Model
	sched    *scheduler
	started  time.Time
	requests atomic.Int64
}

var _ http.Handler = (*Ollama)(nil)

// NewOllama returns a scripted Ollama with no model in memory. Serve it with httptest.NewServer or http.Server; there is
// nothing to close.
func NewOllama(config OllamaConfig) *Ollama {
	orNone := func(d, zero time.Duration) time.Duration { return max(0, cmp.Or(d, zero)) }
	config.Handling = orNone(config.Handling, 4*time.Millisecond)
	config.Prepare = orNone(config.Prepare, time.Millisecond)
	config.KeepAlive = cmp.Or(config.KeepAlive, 5*time.Minute)
	if config.KeepAlive < 0 {
		config.KeepAlive = forever
	}
	config.Version = cmp.Or(config.Version, "0.17.4")
	o := &Ollama{
		config:  config,
		sched:   newScheduler(cmp.Or(config.MaxLoaded, 3), cmp.Or(config.Parallel, 1), config.KeepAlive),
		started: time.Now(),
	}
	for _, m := range config.Models {
		m.Name = tagged(m.Name)
		m.TokensPerLine = cmp.Or(m.TokensPerLine, 1)
		m.Dim = cmp.Or(m.Dim, 256)
		m.NumCtx = cmp.Or(m.NumCtx, 4096)
		if m.Answer == nil {
			m.Answer = func(string) string { return "The documents say it in their first lines; the rest are details." }
		}
		o.models = append(o.models, &m)
	}
	return o
}

// tagged returns the model's name with its tag.
func tagged(name string) string {
	if name != "" && !strings.Contains(name[strings.LastIndex(name, "/")+1:], ":") {
		return name + ":latest"
	}
	return name
}

// model returns the model of that name, or nil.
func (o *Ollama) model(name string) *Model {
	for _, m := range o.models {
		if strings.EqualFold(m.Name, tagged(name)) {
			return m
		}
	}
	return nil
}

// ServeHTTP answers as Ollama would.
func (o *Ollama) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	n := o.requests.Add(1)
	body, fault, ok := o.config.Script.begin(int(n), w, r)
	if !ok {
		return
	}
	x := &exchange{Ollama: o, n: n, w: w, r: r, body: body, fault: fault, start: start.Add(fault.Delay)}
	switch handle, allowed := x.route(); {
	case handle == nil:
		x.text(http.StatusNotFound, "text/plain", "404 page not found")
	case !slices.Contains(strings.Split(allowed, ", "), r.Method):
		w.Header().Set("Allow", allowed)
		x.text(http.StatusMethodNotAllowed, "text/plain", "405 method not allowed")
	default:
		handle()
	}
}

func (x *exchange) route() (handle func(), allowed string) {
	const get, post = "GET, HEAD", "POST"
	switch path := x.r.URL.Path; path {
	case "/":
		return func() { x.text(http.StatusOK, "text/plain; charset=utf-8", "Ollama is running") }, get
	case "/api/version":
		return x.version, get
	case "/api/tags":
		return x.tags, get
	case "/api/ps":
		return x.ps, "GET"
	case "/api/show":
		return x.show, post
	case "/api/chat":
		return x.chat, post
	case "/api/generate":
		return x.generate, post
	case "/api/embed":
		return x.embed, post
	case "/api/embeddings":
		return x.embeddings, post
	case "/v1/chat/completions":
		return x.v1Chat, post
	case "/v1/completions":
		return x.v1Completions, post
	case "/v1/embeddings":
		return x.v1Embeddings, post
	case "/v1/models":
		return x.v1Models, "GET"
	}
	return nil, ""
}

// An exchange is one request to the server and what is known of it.
type exchange struct {
	*Ollama
	n     int64 // counts from 1
	w     http.ResponseWriter
	r     *http.Request
	body  []byte
	fault Fault
	start time.Time // when the handler began, as total_duration counts
}
