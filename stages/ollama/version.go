package ollama

import (
	"strconv"
	"strings"

	"github.com/ragtrace/ragtrace/stages"
)

// Semantics are what the figures of an answer mean where that is not the same in all versions. The zero value is what holds
// for most, and where the version is not known.
type Semantics struct {
	// FirstTokenInDecode: eval_duration begins before the first token, so that n tokens are n steps and not n-1. So does the
	// runner for weights in safetensors (x/mlxrunner/pipeline.go, since v0.30).
	FirstTokenInDecode bool
	// PromptUncached: prompt_eval_count leaves out what was in the cache (v0.30.0 alone).
	PromptUncached bool
	// PromptLastBatch: prompt_eval_duration is that of the last batch of the prompt alone, in one of the two engines
	// (v0.12.5 and v0.12.6, llamarunner).
	PromptLastBatch bool
}

// SemanticsOf tells them from a version as /api/version gives it, and the format of the model's weights as /api/ps and
// /api/show give it. Both may be "". What cannot be read, and the 0.0.0 of a build without a version, is unknown.
func SemanticsOf(version, format string) Semantics {
	v, known := parseVersion(version)
	is := func(minor, patch int) bool { return v == [3]int{0, minor, patch} }
	old := known && v[0] == 0 && v[1] < 30 // turned safetensors into GGUF
	return Semantics{
		FirstTokenInDecode: format == "safetensors" && !old,
		PromptUncached:     is(30, 0),
		PromptLastBatch:    is(12, 5) || is(12, 6),
	}
}

// parseVersion reads "0.30.1", with or without a v before and a suffix behind.
func parseVersion(s string) (v [3]int, known bool) {
	s, _, _ = strings.Cut(strings.TrimPrefix(s, "v"), "-")
	parts := strings.Split(s, ".")
	if len(parts) != len(v) {
		return v, false
	}
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil || n < 0 {
			return [3]int{}, false
		}
		v[i] = n
	}
	return v, v != [3]int{}
}

// batch is the longest prompt that is read in one piece, unless num_batch says otherwise.
const batch = 512

// apply says what the figures of f mean, in so far as its server is known.
func (s Semantics) apply(f *stages.Facts) {
	f.FirstTokenInDecode = s.FirstTokenInDecode && f.Decode.Known()
	if s.PromptUncached && f.InputTokens.Known() {
		f.Flag(stages.FlagPromptUncached)
	}
	if s.PromptLastBatch && f.Prefill.Known() && f.InputTokens.N > batch {
		f.Flag(stages.FlagPrefillLastBatch)
	}
}
