package ask

import (
	"regexp"
	"slices"
	"strings"
)

// keyNames are the keys of the APIs beside those of texts and numbers that may stay. Any other key may be somebody's word.
var keyNames = []string{
	"arguments", "billed_units", "cache_control", "choices", "completion_tokens_details", "content", "data", "delta", "detail", "details",
	"distance", "distances", "documents", "done", "embedding", "embeddings", "error", "errors", "finish_reason", "format", "function",
	"function_call", "generated_text", "groups", "hits", "ids", "incomplete_details", "input", "input_tokens_details", "inputs", "item",
	"items", "logprobs", "message", "messages", "meta", "meta_info", "metadata", "metrics", "models", "name", "objects", "options", "output",
	"output_tokens_details", "param", "parameters", "part", "points", "prompt", "prompt_progress", "prompt_tokens_details", "queries",
	"query", "query_embeddings", "query_texts", "reasoning", "reasoning_content", "relevance_score", "refusal", "remote_host", "response",
	"responses", "result", "results", "sampling_params", "score", "scores", "special", "stats", "stop", "stream", "stream_options",
	"include_usage", "suffix", "system", "text", "text_1", "text_2", "texts", "think", "thinking", "timings", "token", "tokens", "tool_calls",
	"tools", "tool_choice", "top_n", "truncate", "usage", "vector", "context", "return_documents", "summary", "effort", "reasoning_effort",
	"return_progress", "timings_per_token", "cache_prompt", "max_new_tokens", "logprob", "sequence_number", "raw", "template", "images",
	"collectionName", "annsField", "class", "knn", "limit", "k", "size", "searches", "n_results", "tookMs", "timed_out", "certainty", "retriever",
}

// openKeys hold objects whose keys are the caller's.
var openKeys = []string{"arguments", "metadata", "tools", "format"}

// knownKey reports whether a key is a name in one of the APIs.
func knownKey(key string) bool {
	return slices.Contains(keyNames, key) || slices.Contains(numberKeys, key) || keptTexts[key] != nil
}

// A keptText is where a text may stay, and what it looks like.
type keptText struct {
	at    []string // paths, without the brackets of arrays
	looks *regexp.Regexp
}

var (
	anyWord   = regexp.MustCompile(`^[^ \t\\]{1,128}$`)
	asciiTag  = regexp.MustCompile(`^[A-Za-z_]{1,24}$`)
	stamp     = regexp.MustCompile(`^\d{4}-\d\d-\d\dT[0-9:.]{5,20}(Z|[+-]\d\d:\d\d)$`)
	states    = regexp.MustCompile(`^(ok|success|completed|incomplete|failed|in_progress|queued|cancelled|acknowledged|error)$`)
	roles     = regexp.MustCompile(`^(system|user|assistant|tool|developer|function)$`)
	objects   = regexp.MustCompile(`^(list|embedding|model|response|error|rerank|text_completion|(chat\.)?completion(\.chunk)?)$`)
	typeNames = regexp.MustCompile(`^(text|function|function_call|image_url|input_text|output_text|summary_text|reasoning|reasoning_text|` +
		`refusal|message|error|tool_call|tool|invalid_tool_call|json_object|json_schema|length|stop|abort|` +
		`(response|chat|message|reasoning|model_load|prompt_processing|tool_call)(\.(` + eventWords + `))+)$`)
)

// eventWords are the words after the first that the APIs make their events' names of.
const eventWords = `created|in_progress|queued|completed|incomplete|failed|output_item|content_part|output_text|reasoning_text|` +
	`reasoning_summary_text|reasoning_summary_part|reasoning_summary|reasoning|refusal|function_call_arguments|annotation|added|delta|done|` +
	`start|progress|end|arguments|name|success|failure|error`

// keptTexts are the texts that say what an exchange is, by key. No others stay.
var keptTexts = map[string]*keptText{
	"model":              {[]string{"model", "response.model"}, anyWord},
	"model_instance_id":  {[]string{"model_instance_id", "result.model_instance_id"}, anyWord},
	"remote_model":       {[]string{"remote_model"}, anyWord},
	"system_fingerprint": {[]string{"system_fingerprint"}, anyWord},
	"created_at":         {[]string{"created_at"}, stamp},
	"done_reason":        {[]string{"done_reason"}, asciiTag},
	"finish_reason":      {[]string{"choices.finish_reason", "meta_info.finish_reason", "details.finish_reason"}, asciiTag},
	"stop_reason":        {[]string{"stats.stop_reason", "result.stats.stop_reason"}, asciiTag},
	"stop_type":          {[]string{"stop_type"}, asciiTag},
	"reason":             {[]string{"incomplete_details.reason", "response.incomplete_details.reason"}, asciiTag},
	"status":             {[]string{"status", "response.status"}, states},
	"object":             {[]string{"object", "data.object", "response.object"}, objects},
	"role":               {[]string{"message.role", "messages.role", "choices.message.role", "choices.delta.role", "output.role"}, roles},
	"type": {[]string{"type", "output.type", "output.content.type", "item.type", "part.type", "response.output.type",
		"result.output.type", "choices.message.tool_calls.type", "choices.delta.tool_calls.type", "meta_info.finish_reason.type",
		"messages.content.type"}, typeNames},
	"keep_alive": {[]string{"keep_alive"}, regexp.MustCompile(`^-?[0-9.]+(ms|s|m|h)?$`)},
	"id":         {}, // of what, is not told: filler
}

// keptAt reports whether a text stays that stands at a path.
func keptAt(path, text string) bool {
	k := keptTexts[path[strings.LastIndexByte(path, '.')+1:]]
	return k != nil && slices.Contains(k.at, path) && k.looks.MatchString(text)
}
