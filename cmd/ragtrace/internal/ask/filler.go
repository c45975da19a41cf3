package ask

import (
	"bytes"
	"slices"
	"strings"
)

// filler is what takes the place of a byte of text, and fillerDigit that of a digit.
const filler, fillerDigit = 'x', '1'

// numberKeys are the keys whose numbers are durations, counts, options or places. Any other number may be a token's.
var numberKeys = []string{
	"created", "created_at", "index", "code", "status", "n", "time", "took",
	// Ollama
	"total_duration", "load_duration", "prompt_eval_count", "prompt_eval_cached_count", "prompt_eval_duration", "eval_count",
	"eval_duration", "num_ctx", "num_predict", "keep_alive",
	// OpenAI and who speaks it
	"prompt_tokens", "completion_tokens", "total_tokens", "input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens",
	"timing_prompt_processing", "timing_token_generation", "max_tokens", "max_completion_tokens", "max_output_tokens",
	"temperature", "top_p", "top_k", "seed",
	// llama-server
	"cache_n", "prompt_n", "prompt_ms", "prompt_per_token_ms", "prompt_per_second", "predicted_n", "predicted_ms",
	"predicted_per_token_ms", "predicted_per_second", "draft_n", "draft_n_accepted", "tokens_predicted", "tokens_evaluated",
	"tokens_cached", "n_predict", "total", "cache", "processed", "time_ms",
	// vLLM
	"time_to_first_token_ms", "generation_time_ms", "queue_time_ms", "mean_itl_ms", "tokens_per_second",
	// LM Studio
	"time_to_first_token", "generation_time", "load_time_seconds", "total_output_tokens", "reasoning_output_tokens",
	"time_to_first_token_seconds", "model_load_time_seconds", "progress",
	// SGLang, TGI
	"e2e_latency", "generated_tokens", "input_length",
}

// fill returns a body with filler for what people or models said: as long, cut at the same places, and with the same
// structure, so that an exchange has the same times and counts. What it cannot make out is filler as a whole. Of a body that no
// API claims, known is false, nothing but structure is left.
func fill(body []byte, contentType string, known bool) []byte {
	out := bytes.Clone(body)
	text := bytes.TrimLeft(bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF")), " \t\r\n")
	begins := func(any ...string) bool {
		return slices.ContainsFunc(any, func(s string) bool { return bytes.HasPrefix(text, []byte(s)) })
	}
	switch {
	case begins("{", "["):
		j := jsonFiller{known: known}
		j.fill(out)
	case strings.HasPrefix(contentType, "text/event-stream"), begins("data:", "event:", ":"):
		fillEvents(out, known)
	default:
		fillText(out)
	}
	return out
}

// fillText replaces all but the ends of lines.
func fillText(p []byte) {
	for i, c := range p {
		if c != '\n' && c != '\r' {
			p[i] = filler
		}
	}
}

// fillEvents fills server-sent events, line by line. The names of a known API's events stay.
func fillEvents(p []byte, known bool) {
	data := jsonFiller{known: known}
	json, begun := false, false // of the event's data
	for len(p) > 0 {
		line := p
		if i := bytes.IndexAny(p, "\r\n"); i >= 0 {
			end := i + 1
			if bytes.HasPrefix(p[i:], []byte("\r\n")) {
				end++
			}
			line, p = p[:i], p[end:]
		} else {
			p = nil
		}
		field, value, _ := bytes.Cut(line, []byte{':'})
		value = bytes.TrimPrefix(value, []byte{' '})
		switch string(field) {
		case "":
			if len(line) == 0 {
				data, begun = jsonFiller{known: known}, false
			}
			fillText(value) // a comment
		case "data":
			if !begun {
				begun, json = true, bytes.IndexAny(bytes.TrimSpace(value), "{[") == 0 && string(bytes.TrimSpace(value)) != "[DONE]"
			}
			switch {
			case json:
				data.fill(value)
			case string(bytes.TrimSpace(value)) != "[DONE]":
				fillText(value)
			}
		case "event":
			if !known || !typeNames.Match(value) {
				fillText(value)
			}
		case "id":
			fillText(value)
		case "retry":
			if !isNumber(value) {
				fillText(value)
			}
		case "error": // old llama-server's name for data
			data.fill(value)
		default:
			fillText(line)
		}
	}
}
