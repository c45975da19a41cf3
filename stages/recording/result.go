package recording

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/ragtrace/ragtrace/stages"
)

// A Result is what follows from one exchange. Its keys are those of the published timing cases; what is not defined is
// left out. Times are milliseconds with three decimals.
type Result struct {
	API   stages.API   `json:"api,omitempty"`
	Stage stages.Stage `json:"stage,omitempty"`
	Model string       `json:"model,omitempty"`

	Status stages.Status `json:"status"`
	Flags  []string      `json:"flags"`
	Error  string        `json:"error,omitempty"` // http_503 for a refusal, else the server's words

	DoneReason string `json:"done_reason,omitempty"`
	Spans      []Span `json:"spans"`

	TTFT          *Millis `json:"ttft_ms,omitempty"`
	TTFA          *Millis `json:"ttfa_ms,omitempty"`
	E2E           *Millis `json:"e2e_ms,omitempty"`
	OutputTokens  *int64  `json:"output_tokens,omitempty"`
	TokenSource   string  `json:"token_count_source,omitempty"` // server, or chunks: one is counted as one token
	TokenEvents   *int    `json:"events_with_tokens,omitempty"`
	TPOT          *Millis `json:"tpot_ms,omitempty"`
	TPOTServer    *Millis `json:"tpot_server_ms,omitempty"`
	ITLGaps       *int    `json:"itl_gaps,omitempty"`
	ITLP50        *Millis `json:"itl_p50_ms,omitempty"`
	ITLP95        *Millis `json:"itl_p95_ms,omitempty"`
	ITLMax        *Millis `json:"itl_max_ms,omitempty"`
	PromptTokens  *int64  `json:"prompt_tokens,omitempty"`
	CachedTokens  *int64  `json:"cached_tokens,omitempty"`
	TTFTServer    *Millis `json:"ttft_server_ms,omitempty"`
	TTFAServer    *Millis `json:"ttfa_server_ms,omitempty"`
	ITLServerP50  *Millis `json:"itl_server_p50_ms,omitempty"`
	Queue         *Millis `json:"queue_ms,omitempty"`
	DecodeResidue *Millis `json:"decode_residual_ms,omitempty"`
	ServerStart   *Millis `json:"server_start_ms,omitempty"`
	ServerEnd     *Millis `json:"server_end_ms,omitempty"`

	Total         *Millis            `json:"total_ms,omitempty"`        // an answering model's server
	RerankTotal   *Millis            `json:"rerank_total_ms,omitempty"` // a reranker's server
	PerTextMean   map[string]Millis  `json:"per_text_mean,omitempty"`   // means over the texts of a batch: they do not add up
	ServerMetrics map[string]float64 `json:"server_metrics,omitempty"`  // as the server gave them

	Op      string  `json:"op,omitempty"` // of a vector store
	Server  *Millis `json:"server_ms,omitempty"`
	Client  *Millis `json:"client_ms,omitempty"`
	Outside *Millis `json:"outside_ms,omitempty"`
	Hits    *int64  `json:"hits,omitempty"`
	Async   bool    `json:"async,omitempty"`
}

// A Span is a stretch of server time; as JSON ["name", start, end].
type Span struct {
	Name       string
	Start, End Millis
}

// MarshalJSON writes the span as an array of three.
func (s Span) MarshalJSON() ([]byte, error) { return json.Marshal([]any{s.Name, s.Start, s.End}) }

// NewResult says what f has to say.
func NewResult(f *stages.Facts) *Result {
	r := &Result{
		API: f.API, Stage: f.Stage, Model: f.Model,
		Status: f.Status, Flags: append([]string{}, f.Flags...), Error: f.Error,
		DoneReason: f.DoneReason, Spans: spans(f),
	}
	if f.HTTPStatus >= http.StatusBadRequest {
		r.Error = fmt.Sprintf("http_%d", f.HTTPStatus)
	}
	r.PromptTokens, r.CachedTokens = counted(f.InputTokens), counted(f.CachedTokens)
	for _, x := range f.Figures {
		if r.ServerMetrics == nil {
			r.ServerMetrics = make(map[string]float64)
		}
		r.ServerMetrics[x.Name] = x.Value
	}
	m := f.Metrics()
	r.E2E = millis(m.E2E)
	switch f.Stage {
	case stages.LLM, stages.Embed:
		r.generation(f, &m)
	case stages.Rerank:
		r.rerank(f)
	default:
		if f.Operation != "" {
			r.store(f, &m)
		}
	}
	return r
}

// generation fills in what there is of an answer or an embedding.
func (r *Result) generation(f *stages.Facts, m *stages.Metrics) {
	gaps := f.Gaps.N()
	r.TokenEvents, r.ITLGaps = &f.TokenEvents, &gaps
	if r.OutputTokens = counted(m.Tokens); r.OutputTokens != nil {
		r.TokenSource = "server"
		if m.Tokens.Source == stages.Measured {
			r.TokenSource = "chunks"
		}
	}
	r.TTFT, r.TTFA = millis(m.TTFT), millis(m.TTFA)
	r.TTFTServer, r.TTFAServer = millis(m.TTFTServer), millis(m.TTFAServer)
	r.TPOT, r.TPOTServer = millis(m.TPOT), millis(m.TPOTServer)
	r.ITLP50, r.ITLP95, r.ITLMax = millis(m.ITLP50), millis(m.ITLP95), millis(m.ITLMax)
	r.ITLServerP50 = millis(m.ITLServerP50)
	r.Queue, r.DecodeResidue = millis(m.Queue), millis(m.DecodeResidual)
	r.ServerStart, r.ServerEnd = millis(m.ServerStart), millis(m.ServerEnd)
	r.Total = millis(f.Total)
	if f.Stage == stages.Embed {
		r.means(f)
	}
}

func (r *Result) rerank(f *stages.Facts) {
	r.RerankTotal = millis(f.Total)
	r.means(f)
}

// means are figures of a batch, each a mean over its texts.
func (r *Result) means(f *stages.Facts) {
	for _, o := range f.Other {
		if r.PerTextMean == nil {
			r.PerTextMean = make(map[string]Millis)
		}
		r.PerTextMean[o.Name+"_ms"] = MillisOf(o.D)
	}
}

func (r *Result) store(f *stages.Facts, m *stages.Metrics) {
	r.Op, r.Async, r.Hits = string(f.Operation), f.Async, counted(f.Hits)
	r.Server = millis(f.Total)
	client := m.E2E.D - f.Marks.WroteHeaders.D
	r.Client = millis(stages.Timing{D: client, Source: stages.Measured})
	if f.Total.Known() && !f.Async {
		r.Outside = millis(stages.Timing{D: max(client-f.Total.D, 0), Source: stages.Derived})
	}
}

// spans are the phases, a gateway's own time first.
func spans(f *stages.Facts) []Span {
	out := []Span{}
	before := time.Duration(0)
	for _, p := range f.GatewayPhases() {
		out = append(out, Span{p.Name, MillisOf(p.Start), MillisOf(p.End)})
		before = p.End
	}
	if f.API == stages.APIVLLM {
		return out // in this format its figures stand under server_metrics and are not repeated as spans
	}
	for _, p := range f.Phases() {
		name := p.Name
		if p.Stage == stages.EmbedLoad {
			name = string(stages.LLMLoad) // the format knows one name for a model's load, whoever loads it
		}
		if start := max(p.Start, before); start < p.End {
			out = append(out, Span{name, MillisOf(start), MillisOf(p.End)})
		}
	}
	return out
}

func millis(t stages.Timing) *Millis {
	if !t.Known() {
		return nil
	}
	ms := MillisOf(t.D)
	return &ms
}

func counted(c stages.Count) *int64 {
	if !c.Known() {
		return nil
	}
	return &c.N
}
