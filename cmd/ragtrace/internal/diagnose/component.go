package diagnose

import (
	"encoding/json"
	"fmt"
	"time"
)

// A Component is a share of a question's end-to-end time. Every instant of a question belongs to exactly one component:
// the first in the order below that has an active span.
type Component uint8

// The components in their order of precedence.
const (
	LLMDecode Component = iota
	LLMPrefill
	LLMLoad
	LLMQueue
	LLMOther  // the LLM server's time in no phase, or a call that tells no phases
	Retry     // failed attempts of an LLM call, and the wait for the next one
	Connect   // DNS, TCP, TLS
	EmbedLoad // the embedding model's load
	Embed
	Rerank
	Search
	Prompt
	Prepare
	Enter // key press to the arrival at the server
	Gateway
	Transport // what is left of an LLM call: network and client code
	Answer
	GapStart // covered by no stage, before the first stage
	Gap      // covered by no stage, later

	numComponents
)

var componentNames = [numComponents]string{
	"llm.decode", "llm.prefill", "llm.load", "llm.queue", "llm.other", "retry", "connect", "embed.load", "embed", "rerank",
	"search", "prompt", "prepare", "enter", "gateway", "transport", "answer", "gap.start", "gap",
}

// String is the component's name in reports.
func (c Component) String() string {
	if c < numComponents {
		return componentNames[c]
	}
	return fmt.Sprintf("component(%d)", uint8(c))
}

// InsideLLM reports whether c is work of the answering model's server.
func (c Component) InsideLLM() bool { return c <= LLMOther }

// Components holds a duration for each component; the zero value is no time at all. As JSON it is an object of
// nanoseconds by name, without zeroes.
type Components [numComponents]time.Duration

// Total is the sum of all components.
func (c *Components) Total() time.Duration {
	var sum time.Duration
	for _, d := range c {
		sum += d
	}
	return sum
}

// Inside is the sum of the components inside the LLM.
func (c *Components) Inside() time.Duration {
	var sum time.Duration
	for i := LLMDecode; i.InsideLLM(); i++ {
		sum += c[i]
	}
	return sum
}

// MarshalJSON implements json.Marshaler.
func (c Components) MarshalJSON() ([]byte, error) {
	m := make(map[string]int64, len(c))
	for i, d := range c {
		if d != 0 {
			m[componentNames[i]] = int64(d)
		}
	}
	return json.Marshal(m)
}

// UnmarshalJSON implements json.Unmarshaler. Names that it does not know are an error: they would be lost time.
func (c *Components) UnmarshalJSON(b []byte) error {
	var m map[string]int64
	if err := json.Unmarshal(b, &m); err != nil {
		return err
	}
	*c = Components{}
	for name, ns := range m {
		i, ok := componentByName[name]
		if !ok {
			return fmt.Errorf("decode question: unknown component %q", name)
		}
		c[i] = time.Duration(ns)
	}
	return nil
}

var componentByName = func() map[string]Component {
	m := make(map[string]Component, numComponents)
	for i, name := range componentNames {
		m[name] = Component(i)
	}
	return m
}()

// ComponentByName is the component that String names.
func ComponentByName(name string) (c Component, ok bool) {
	c, ok = componentByName[name]
	return c, ok
}
