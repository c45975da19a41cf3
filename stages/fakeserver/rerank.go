package fakeserver

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// RerankerConfig scripts a reranker.
type RerankerConfig struct {
	Latency     time.Duration // what each call takes
	PerDocument time.Duration // and each of its documents
	FirstCall   time.Duration // and the first call: the model is loaded then
	Script      Script
}

// Reranker is a scripted reranker with Cohere's and Jina's shape at /v1/rerank and /v2/rerank, and the shape of
// text-embeddings-inference at /rerank. A document's score is the share of the query's words that it has, between 0 and 1.
type Reranker struct {
	config RerankerConfig
	n      atomic.Int64
	warm   atomic.Bool
}

var _ http.Handler = (*Reranker)(nil)

// NewReranker returns a reranker that has not loaded its model. There is nothing to close.
func NewReranker(config RerankerConfig) *Reranker { return &Reranker{config: config} }

// ServeHTTP answers in the shape of the request's path.
func (k *Reranker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	body, fault, ok := k.config.Script.begin(int(k.n.Add(1)), w, r)
	if !ok {
		return
	}
	c := &call{w, r, body, fault, start.Add(fault.Delay)}
	switch path := r.URL.Path; {
	case path == "/health" && r.Method == http.MethodGet:
	case path != "/rerank" && path != "/v1/rerank" && path != "/v2/rerank":
		http.NotFound(w, r)
	case r.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case path == "/rerank":
		k.tei(c)
	default:
		k.cohere(c)
	}
}

type ranking struct {
	index int
	score float32
}

// rank takes its time and orders the documents, the best first; of equal ones the earlier first.
func (k *Reranker) rank(c *call, query string, documents []string) (ranked []ranking, queue time.Duration, err error) {
	d := k.config.Latency + time.Duration(len(documents))*k.config.PerDocument
	if !k.warm.Swap(true) {
		queue = k.config.FirstCall
	}
	if err := wait(c.r.Context(), queue+d); err != nil {
		return nil, 0, err
	}
	for i, document := range documents {
		ranked = append(ranked, ranking{i, overlap(query, document)})
	}
	slices.SortStableFunc(ranked, func(a, b ranking) int { return cmp.Compare(b.score, a.score) })
	return ranked, queue, nil
}

// overlap is the share of the query's words that the document has. Short words count a fifth, as in embeddings.
func overlap(query, document string) float32 {
	has := map[string]bool{}
	for _, w := range words(document) {
		has[w] = true
	}
	var hit, all float32
	for _, w := range words(query) {
		weight := float32(wordWeight)
		if len(w) <= 3 {
			weight = shortWeight
		}
		all += weight
		if has[w] {
			hit += weight
		}
	}
	if all == 0 {
		return 0
	}
	return hit / all
}

type cohereResult struct {
	Index    int             `json:"index"`
	Score    float32         `json:"relevance_score"`
	Document *cohereDocument `json:"document,omitempty"`
}

type cohereDocument struct {
	Text string `json:"text"`
}

func (k *Reranker) cohere(c *call) {
	var req struct {
		Model           string            `json:"model"`
		Query           string            `json:"query"`
		Documents       []json.RawMessage `json:"documents"`
		TopN            *int              `json:"top_n"`
		ReturnDocuments bool              `json:"return_documents"`
	}
	if err := json.Unmarshal(c.body, &req); err != nil {
		c.json(http.StatusBadRequest, "application/json", map[string]string{"message": "invalid request: " + err.Error()})
		return
	}
	if req.Query == "" || len(req.Documents) == 0 {
		c.json(http.StatusBadRequest, "application/json", map[string]string{"message": "invalid request: query and documents are required"})
		return
	}
	var documents []string
	tokens := 0
	for _, d := range req.Documents {
		var text string
		if json.Unmarshal(d, &text) != nil {
			var object cohereDocument
			json.Unmarshal(d, &object) // what has no text is the empty document
			text = object.Text
		}
		documents = append(documents, text)
		tokens += promptTokens(req.Query) + promptTokens(text)
	}
	ranked, _, err := k.rank(c, req.Query, documents)
	if err != nil {
		return
	}
	if req.TopN != nil {
		ranked = ranked[:min(max(*req.TopN, 0), len(ranked))]
	}
	results := []cohereResult{}
	for _, r := range ranked {
		result := cohereResult{Index: r.index, Score: r.score}
		if req.ReturnDocuments {
			result.Document = &cohereDocument{documents[r.index]}
		}
		results = append(results, result)
	}
	if c.r.URL.Path == "/v2/rerank" {
		c.json(http.StatusOK, "application/json", struct {
			ID      string         `json:"id"`
			Results []cohereResult `json:"results"`
			Meta    any            `json:"meta"`
		}{uuid(req.Query), results, map[string]any{
			"api_version":  map[string]string{"version": "2"},
			"billed_units": map[string]int{"search_units": 1},
		}})
		return
	}
	c.json(http.StatusOK, "application/json", struct {
		Model   string         `json:"model"`
		Usage   map[string]int `json:"usage"`
		Results []cohereResult `json:"results"`
	}{req.Model, map[string]int{"total_tokens": tokens}, results})
}

type teiResult struct {
	Index int     `json:"index"`
	Score float32 `json:"score"`
	Text  *string `json:"text,omitempty"`
}

// tei answers like text-embeddings-inference. Its headers are whole milliseconds, and queue, tokenization and inference are
// means over the texts: only the total is a span of time.
func (k *Reranker) tei(c *call) {
	type failure struct {
		Error string `json:"error"`
		Type  string `json:"error_type"`
	}
	var req struct {
		Query      string   `json:"query"`
		Texts      []string `json:"texts"`
		ReturnText bool     `json:"return_text"`
	}
	if err := json.Unmarshal(c.body, &req); err != nil {
		c.json(http.StatusUnprocessableEntity, "application/json", failure{err.Error(), "Validation"})
		return
	}
	if len(req.Texts) == 0 {
		c.json(http.StatusBadRequest, "application/json", failure{"`texts` cannot be empty", "Empty"})
		return
	}
	ranked, queue, err := k.rank(c, req.Query, req.Texts)
	if err != nil {
		return
	}
	characters, tokens := 0, 0
	for _, text := range req.Texts {
		characters += utf8.RuneCountInString(req.Query) + utf8.RuneCountInString(text)
		tokens += promptTokens(req.Query) + promptTokens(text)
	}
	results := []teiResult{}
	for _, r := range ranked {
		result := teiResult{Index: r.index, Score: r.score}
		if req.ReturnText {
			result.Text = &req.Texts[r.index]
		}
		results = append(results, result)
	}
	total := time.Since(c.start)
	ms := func(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
	for name, value := range map[string]string{
		"x-compute-type": "cpu", "x-compute-time": ms(total), "x-total-time": ms(total),
		"x-compute-characters": strconv.Itoa(characters), "x-compute-tokens": strconv.Itoa(tokens),
		"x-tokenization-time": "0", "x-queue-time": ms(queue), "x-inference-time": ms(total - queue),
	} {
		c.w.Header().Set(name, value)
	}
	c.json(http.StatusOK, "application/json", results)
}
