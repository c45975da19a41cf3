package report

import (
	"strings"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/stages"
)

// coldWords name the cold costs in a table.
var coldWords = map[string]string{
	"llm_load":          "model load",
	"embed_load":        "embedder load",
	"connection_setup":  "new connections",
	"search_index_cold": "first search",
	"rerank_cold":       "first rerank",
	"lazy_import":       "imports",
}

// flagWords say what a flag means to somebody who reads the figures beside it.
var flagWords = map[string]string{
	diagnose.FlagDuplicateSpans:   "some spans came more than once and were counted once",
	diagnose.FlagBadValue:         "impossible times or durations were left out",
	diagnose.FlagMissingRoot:      "its root span never came, so its times are unknown",
	diagnose.FlagOrphanSpans:      "spans whose parent never came stand below the root",
	diagnose.FlagClockAdjusted:    "spans from another machine were moved into their caller, since the clocks differ",
	diagnose.FlagPhasesUnknown:    "the LLM server tells nothing of queue, load, prefill and decode",
	diagnose.FlagPartsExceedWhole: "the durations that the LLM server reports are longer than the call",
	diagnose.FlagSuspectUnits:     "durations were read in another unit than their name says",
	stages.FlagBufferedStream:     "something between the LLM server and the application held the tokens back",
	stages.FlagSumExceedsTotal:    "the phases that the LLM server reports were cut to its total",
	stages.FlagTotalExceedsClient: "the total that the LLM server reports was cut to the call",
	stages.FlagMalformed:          "an answer was not what the API sends",
	stages.FlagUndecoded:          "an answer's content encoding cannot be read",
	stages.FlagAfterDone:          "more came after the end of an answer",
	stages.FlagEstimatedTTFT:      "the time to the first token is pieced together from the server's phases",
	stages.FlagDecodeStall:        "a large part of the decode time is no decoding",
	stages.FlagPromptUncached:     "the count of prompt tokens leaves out those that were in the cache",
	stages.FlagPrefillLastBatch:   "the prefill may be that of the prompt's last batch alone",
	stages.FlagSharedLoad:         "it waited for a model load that another question had started",
	// The tracer's own: see package tracer/attr.
	"abandoned":    "the application neither read an answer to its end nor closed it",
	"bad_enter":    "the browser's time since Enter could not be read, so the question begins with its arrival",
	"bad_session":  "the session's name was too long or no text, and was not taken",
	"bad_question": "the question's number could not be read, and was counted instead",
}

// Cold names a cold cost: "model load".
func Cold(cause string) string { return words(coldWords, cause) }

// Flag says what a flag means, in a clause.
func Flag(flag string) string { return words(flagWords, flag) }

// words falls back to the name itself, which is English with underscores.
func words(known map[string]string, name string) string {
	if text, ok := known[name]; ok {
		return text
	}
	return strings.ReplaceAll(name, "_", " ")
}
