package diagnose

import (
	"cmp"
	"slices"
	"time"
)

// The causes, as reports name them.
const (
	causeLLMLoad     = "llm_load"
	causeSharedLoad  = "shared_load"
	causeEviction    = "model_eviction"
	causeKeepAlive   = "keep_alive_expired"
	causeReload      = "llm_reload_options"
	causeQueue       = "llm_queue"
	causeMoreCalls   = "llm_more_calls"
	causePrefillLong = "llm_prefill_long"
	causeCacheMiss   = "llm_prefix_cache_miss"
	causePrefillSlow = "llm_prefill_slow"
	causeDecodeLong  = "llm_decode_long"
	causeDecodeSlow  = "llm_decode_slow"
	causeServer      = "unattributed_server"
	causeLLMSlow     = "llm_slow"
	causeRetry       = "llm_retry"
	causeConnection  = "connection_setup"
	causeEmbedLoad   = "embed_load"
	causeEmbedSlow   = "embed_slow"
	causeIndexCold   = "search_index_cold"
	causeSearchSlow  = "search_slow"
	causeRerankCold  = "rerank_cold"
	causeRerankSlow  = "rerank_slow"
	causeLazyImport  = "lazy_import"
	causeAppGap      = "app_gap"
	causeEnter       = "network_enter"
	causeGateway     = "gateway_overhead"
	causeTransport   = "transport_slow"
	causeAnswer      = "answer_slow"
	causeApp         = "app_slow"

	causeNotReused   = "connection_not_reused"
	causeBuffering   = "gateway_buffering"
	causeNoStreaming = "no_streaming"
)

// causeShare is the share of a question's excess that a cause must carry to be named.
const causeShare = 0.2

// Multiples of the others' median.
const (
	moreCalls   = 1.5
	longPrefill = 1.5
	missedCache = 0.5
)

// causes names the causes of a slow question, dominant first.
func (j *Judgement) causes(s *slowQuestion) []Cause {
	var causes []Cause
	name := func(cause string, k quantity, e *evidence) bool {
		d, owes := s.owes(k)
		if cause == "" || !owes {
			return false
		}
		j.witness(cause, d, e)
		for i := range causes {
			if causes[i].Cause == cause {
				causes[i].Time += d
				return true
			}
		}
		causes = append(causes, Cause{cause, d})
		return true
	}
	plain := func(cause string, k quantity) bool { return name(cause, k, &evidence{row: s.row}) }

	evicted := j.nameLoad(s, name)
	j.nameServed(s, plain)
	plain(causeRetry, quantity(Retry))
	plain(causeConnection, quantity(Connect))
	if !evicted && j.isCold(s.row, EmbedLoad) {
		plain(causeEmbedLoad, quantity(EmbedLoad))
	}
	for _, c := range []struct {
		component  Component
		cold, slow string
	}{
		{Embed, causeEmbedLoad, causeEmbedSlow}, {Search, causeIndexCold, causeSearchSlow},
		{Rerank, causeRerankCold, causeRerankSlow},
	} {
		if j.isCold(s.row, c.component) {
			plain(c.cold, quantity(c.component))
		} else {
			plain(c.slow, quantity(c.component))
		}
	}
	if j.isCold(s.row, GapStart) {
		plain(causeLazyImport, quantity(GapStart))
		plain(causeAppGap, quantity(Gap))
	} else {
		plain(causeAppGap, qGaps)
	}
	plain(causeEnter, quantity(Enter))
	plain(causeGateway, quantity(Gateway))
	plain(causeTransport, quantity(Transport))
	plain(causeAnswer, quantity(Answer))
	plain(causeApp, qApp)
	slices.SortStableFunc(causes, func(a, b Cause) int { return cmp.Compare(b.Time, a.Time) })
	return causes
}

// owes is what of the excess lies in k, and whether that is enough to be named.
func (s *slowQuestion) owes(k quantity) (d time.Duration, enough bool) {
	least := causeShare * float64(s.over)
	// What is usual may be nothing, but not less: often it need not be known.
	if v, _ := s.group.t.value(k, s.row); v < least {
		return 0, false
	}
	d = s.group.excess(k, s.row)
	return d, float64(d) >= least
}

// nameLoad names a cold load of the LLM, and tells whether it was named with the embedding model's as one eviction.
func (j *Judgement) nameLoad(s *slowQuestion, name func(string, quantity, *evidence) bool) (evicted bool) {
	if !j.isCold(s.row, LLMLoad) {
		return false
	}
	cause, e := j.loadCause(s.group, s.row)
	if cause == causeEviction {
		return name(cause, qLoads, e)
	}
	name(cause, quantity(LLMLoad), e)
	return false
}

// nameServed names what the LLM server did but for loading.
func (j *Judgement) nameServed(s *slowQuestion, name func(string, quantity) bool) {
	owes := func(k quantity) bool { _, enough := s.owes(k); return enough }
	if owes(qServed) && s.group.above(moreCalls, qCalls, s.row) && name(causeMoreCalls, qServed) {
		return
	}
	name(causeQueue, quantity(LLMQueue))
	if owes(quantity(LLMPrefill)) {
		name(prefillCause(s), quantity(LLMPrefill))
	}
	if owes(quantity(LLMDecode)) {
		name(decodeCause(s), quantity(LLMDecode))
	}
	if j.t.hasFlag(s.row, FlagPhasesUnknown) {
		name(causeLLMSlow, quantity(LLMOther))
	} else {
		name(causeServer, quantity(LLMOther))
	}
}

func prefillCause(s *slowQuestion) string {
	if s.group.above(longPrefill, qInput, s.row) {
		return causePrefillLong
	}
	if times, ok := s.group.multiple(qCached, s.row); ok && times < missedCache {
		return causeCacheMiss
	}
	return causePrefillSlow
}

func decodeCause(s *slowQuestion) string {
	tokens, ok := s.group.multiple(qOutput, s.row)
	each, known := s.group.multiple(qPerToken, s.row)
	switch {
	case !ok || !known:
		return causeLLMSlow
	case tokens >= each:
		return causeDecodeLong
	default:
		return causeDecodeSlow
	}
}

// Evidence is what shows a cause, for advice.
type evidence struct {
	time   time.Duration
	row    int
	call   int  // in the table, that loaded the model
	called bool // there is one
	last   *use // of the model before it
	idle   time.Duration
	other  int // row whose load this one waited for
}

// witness keeps the evidence of the question in which a cause costs most.
func (j *Judgement) witness(cause string, d time.Duration, e *evidence) {
	if known := j.evidence[cause]; known == nil || d > known.time {
		e.time = d
		j.evidence[cause] = e
	}
}
