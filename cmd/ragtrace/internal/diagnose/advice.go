package diagnose

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Advice is one line on what to do about a cause, with the values that the report's questions show. For a cause that the
// report does not name it is the line without values, and "" for one that does not exist.
func Advice(r Report, cause string) string {
	for _, h := range r.Verdict.Advice {
		if h.Cause == cause {
			return h.Text
		}
	}
	return texts[cause].advice
}

// Explain is the longer text on a cause: what it is, how it is told, how to verify it, what to do. ok is false for a cause
// that does not exist.
func Explain(cause string) (text string, ok bool) {
	t, ok := texts[cause]
	return t.explain, ok
}

// Causes are the names of all causes, sorted.
func Causes() []string {
	names := make([]string, 0, len(texts))
	for name := range texts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// advice is the line on a cause that the judgement names, with the evidence's values where they say more.
func (j *Judgement) advice(cause string) string {
	e := j.evidence[cause]
	if e == nil {
		return texts[cause].advice
	}
	if line := j.specific(cause, e); line != "" {
		return line
	}
	return texts[cause].advice
}

// specific is the advice with this trace's values; "" when it has none worth naming.
func (j *Judgement) specific(cause string, e *evidence) string {
	row, g := e.row, j.groupOf(e.row)
	named := j.questionText(row)
	chat := "the chat model"
	if e.called {
		chat = orText(j.t.textAt(colModel, e.call), chat)
	}
	embedding := orText(j.t.textAt(colEmbedModel, row), "the embedding model")
	spent := func(c Component) time.Duration { return time.Duration(j.t.component(c)[row]) }
	switch cause {
	case causeLLMLoad:
		return fmt.Sprintf("Load %s before the first question: send an empty /api/generate request with keep_alive at start-up (%s waited %s).",
			chat, named, timeText(e.time))
	case causeKeepAlive:
		return fmt.Sprintf("Set keep_alive of %s above the idle time: it was %s, %s came after %s idle; %s would have kept it (or -1, for ever).",
			chat, timeText(j.keepAlive(e)), named, timeText(e.idle), longerThan(e.idle))
	case causeReload:
		return fmt.Sprintf("Send the same options with every call of %s: num_ctx was %d in %s and %d in the call before, so the server loaded it again.",
			chat, j.numCtx(e.call), named, j.numCtx(int(e.last.call)))
	case causeSharedLoad:
		return fmt.Sprintf("Load %s before the first question: %s waited for the load that %s had started.",
			chat, named, j.questionText(e.other))
	case causeEviction:
		return fmt.Sprintf("Let the server keep %s and %s at once: OLLAMA_MAX_LOADED_MODELS=2 or more, and a smaller num_ctx or model if both do not fit (%s loaded for %s).",
			chat, embedding, named, timeText(spent(LLMLoad)+spent(EmbedLoad)))
	case causeEmbedLoad:
		return fmt.Sprintf("Load %s before the first question: embed a word at start-up, with a long keep_alive (%s waited %s).",
			embedding, named, timeText(e.time))
	case causeQueue:
		return fmt.Sprintf("%s waited %s inside the LLM server: allow more requests at once (OLLAMA_NUM_PARALLEL; each slot costs memory for its own context, and all slots share the speed) or send fewer at once.",
			sentenceCase(named), timeText(e.time))
	case causeMoreCalls:
		calls, _ := j.t.value(qCalls, row)
		median, _ := g.othersMedian(qCalls, row)
		return fmt.Sprintf("%s made %s where the others make %s: merge or skip some (query rewriting, tool rounds, follow-ups), or run them in parallel.",
			sentenceCase(named), plural(int(calls), "LLM call", "LLM calls"), strconv.FormatFloat(median, 'f', -1, 64))
	case causePrefillLong:
		return j.tokenAdvice(g, row, qInput, "%s sent %.0f input tokens where the others send %.0f: retrieve fewer or shorter chunks, and trim the history.")
	case causeCacheMiss:
		return j.tokenAdvice(g, row, qCached, "%s found %.0f input tokens in the prefix cache where the others find %.0f: keep the start of the prompt the same (system prompt first, no date or id in it, chunks in a stable order).")
	case causeDecodeLong:
		return j.tokenAdvice(g, row, qOutput, "%s got %.0f output tokens where the others get %.0f: limit the answer (num_predict, max_tokens) or ask for a shorter one.")
	case causeConnection, causeNotReused:
		return fmt.Sprintf("Share one HTTP client and read each response body to its end before closing it, so that connections are reused (%s spent %s on new ones).",
			named, timeText(spent(Connect)))
	case causeBuffering:
		return fmt.Sprintf("Make the gateway pass the stream on as it comes (X-Accel-Buffering: no, proxy_buffering off, no compression): %s of decoding stay unseen in %s.",
			timeText(spent(LLMDecode)), named)
	case causeNoStreaming:
		return fmt.Sprintf("Pass tokens on as they come and flush after each: the application has the first one early, yet %s of decoding stay unseen in %s.",
			timeText(spent(LLMDecode)), named)
	case causeDecodeSlow:
		return j.timeAdvice(cause, g, row, qPerToken, "%[2]s a token in %[1]s, %[3]s in the others")
	}
	if k, ok := spentOn[cause]; ok {
		return j.timeAdvice(cause, g, row, k, "%[2]s in %[1]s, %[3]s in the others")
	}
	return ""
}

// spentOn is what the causes without a line of their own in specific cost.
var spentOn = map[string]quantity{
	causePrefillSlow: quantity(LLMPrefill), causeServer: quantity(LLMOther), causeRetry: quantity(Retry),
	causeEmbedSlow: quantity(Embed), causeIndexCold: quantity(Search), causeSearchSlow: quantity(Search),
	causeRerankCold: quantity(Rerank), causeRerankSlow: quantity(Rerank), causeLazyImport: quantity(GapStart), causeAppGap: qGaps,
	causeEnter: quantity(Enter), causeGateway: quantity(Gateway), causeTransport: quantity(Transport),
	causeAnswer: quantity(Answer), causeApp: qApp, causeLLMSlow: qInside,
}

// timeAdvice puts a time and its others' median behind the line that needs none; "" when either is unknown.
func (j *Judgement) timeAdvice(cause string, g *group, row int, k quantity, format string) string {
	here, ok := j.t.value(k, row)
	median, n := g.othersMedian(k, row)
	if !ok || n == 0 {
		return ""
	}
	others := timeText(time.Duration(median))
	if !g.othersHave(k, row) {
		others = "none"
	}
	values := fmt.Sprintf(format, j.questionText(row), timeText(time.Duration(here)), others)
	return strings.TrimSuffix(texts[cause].advice, ".") + " (" + values + ")."
}

// tokenAdvice fills in a count and its others' median; "" when either is unknown.
func (j *Judgement) tokenAdvice(g *group, row int, k quantity, format string) string {
	count, ok := j.t.value(k, row)
	median, n := g.othersMedian(k, row)
	if !ok || n == 0 {
		return ""
	}
	return fmt.Sprintf(format, sentenceCase(j.questionText(row)), count, median)
}

// keepAlive is for how long the model was to stay after its last use.
func (j *Judgement) keepAlive(e *evidence) time.Duration {
	return time.Duration(j.t.column(colKeepAlive)[e.last.call])
}

func (j *Judgement) numCtx(call int) int64 { return j.t.column(colNumCtx)[call] }

func orText(name, otherwise string) string {
	if name == "" {
		return otherwise
	}
	return safe(name)
}

// longerThan is a round keep_alive longer than an idle time, as Ollama reads it.
func longerThan(idle time.Duration) string {
	for _, minutes := range []float64{10, 15, 30, 60, 120, 240, 720} {
		if idle.Minutes() < minutes {
			if minutes >= 60 {
				return fmt.Sprintf("%.0fh", minutes/60)
			}
			return fmt.Sprintf("%.0fm", minutes)
		}
	}
	return fmt.Sprintf("%.0fh", 24*math.Ceil((idle.Hours()+1)/24))
}
