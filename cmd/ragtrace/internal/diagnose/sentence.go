package diagnose

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// told is how many slow questions are told one by one.
const told = 3

// sentence puts the verdict in plain words.
func (j *Judgement) sentence() string {
	switch {
	case len(j.rows) == 0:
		return "These spans hold no question."
	case !j.judgeable():
		return j.tooFew()
	case len(j.slow) == 0 && len(j.standing) == 0:
		return j.nothing()
	case len(j.slow) == 0:
		return j.nothing() + " " + j.shared("But m")
	}
	text := j.stories()
	if len(j.standing) > 0 {
		text += " " + j.shared("M")
	}
	return text
}

// tooFew says why nothing is decided, and what is known all the same.
func (j *Judgement) tooFew() string {
	most := 0
	for _, g := range j.groups {
		most = max(most, len(g.ok))
	}
	there := "no question ended well"
	if most > 0 {
		there = fmt.Sprintf("only %s ended well", plural(most, "question", "questions"))
	}
	text := fmt.Sprintf("Undecided: %s, and %d of one service and pipeline are needed to compare.", there, minPeers)
	for _, row := range j.rows {
		if cold := j.cold[int(row)]; len(cold) > 0 && j.chooses(int(row)) {
			parts := make([]string, len(cold))
			for i, c := range cold {
				parts[i] = timeText(c.Time) + " " + phrases[c.Cause] + " (" + where(c.Component) + ")"
			}
			return text + fmt.Sprintf(" Cold in %s: %s.", j.questionText(int(row)), list(parts))
		}
	}
	return text
}

func where(c Component) string {
	if c.InsideLLM() {
		return "inside the LLM"
	}
	return "outside"
}

// nothing says that no question stands out, and from what.
func (j *Judgement) nothing() string {
	if j.chosen != nil {
		return "None of the questions asked for stands out."
	}
	compared, pipelines := 0, 0
	var only *group
	for _, g := range j.groups {
		if len(g.ok) >= minPeers {
			compared += len(g.ok)
			pipelines++
			only = g
		}
	}
	text := fmt.Sprintf("No question stands out among %d", compared)
	if pipelines > 1 {
		text += fmt.Sprintf(" of %d pipelines", pipelines)
	} else {
		e2e := only.sample(qE2E)
		text += fmt.Sprintf(": they took %s to %s (median %s)", timeText(time.Duration(e2e.least)),
			timeText(time.Duration(e2e.most)), timeText(time.Duration(e2e.median())))
	}
	if rest := len(j.rows) - compared; rest > 0 {
		text += fmt.Sprintf("; %s not compared (failed, incomplete or without peers)", plural(rest, "is", "are"))
	}
	return text + "."
}

// shared tells the standing costs.
func (j *Judgement) shared(start string) string {
	parts := make([]string, len(j.standing))
	for i, s := range j.standing {
		parts[i] = fmt.Sprintf("%s (%s in all)", phrases[s.cause], timeText(s.time()))
	}
	return start + "ore than half of the questions share a cost: " + list(parts) + "."
}

// stories tells the slow questions, the worst of them one by one.
func (j *Judgement) stories() string {
	var sentences []string
	if n := len(j.slow); n > 1 {
		among := strconv.Itoa(len(j.rows)) + " questions"
		if j.chosen != nil {
			among = "the questions asked for"
		}
		sentences = append(sentences, fmt.Sprintf("%d of %s stand out%s.", n, among, j.overall()))
	}
	for i := range j.slow[:min(len(j.slow), told)] {
		sentences = append(sentences, j.story(&j.slow[i]))
	}
	if rest := j.slow[min(len(j.slow), told):]; len(rest) > 0 {
		sentences = append(sentences, "Further: "+j.names(rest)+".")
	}
	return strings.Join(sentences, " ")
}

// overall sums the excess of several slow questions up.
func (j *Judgement) overall() string {
	var over time.Duration
	for _, s := range j.slow {
		over += s.over
	}
	text := fmt.Sprintf(", %s above the medians of the others in all", timeText(over))
	if side, share := j.side(); share != nil {
		switch side {
		case SideInside:
			text += fmt.Sprintf(", %.0f %% of it inside the LLM", 100**share)
		case SideOutside:
			text += fmt.Sprintf(", %.0f %% of it outside the LLM", 100*(1-*share))
		default:
			text += fmt.Sprintf(", %.0f %% of it inside and %.0f %% outside the LLM", 100**share, 100*(1-*share))
		}
	}
	return text
}

// names lists questions, a few of them.
func (j *Judgement) names(slow []slowQuestion) string {
	const most = 8
	words := make([]string, 0, most+1)
	for _, s := range slow[:min(len(slow), most)] {
		words = append(words, j.questionText(s.row))
	}
	if n := len(slow) - most; n > 0 {
		words = append(words, fmt.Sprintf("%d more", n))
	}
	return list(words)
}

// story tells one slow question: how long, against what, why, and how long it would have taken warm.
func (j *Judgement) story(s *slowQuestion) string {
	text := fmt.Sprintf("%s took %s, %s more than the median of the other %d", sentenceCase(j.questionText(s.row)),
		timeText(s.e2e), timeText(s.over), len(s.group.ok)-1)
	if s.doubtful {
		return text + ", but the durations that its LLM call reports are longer than the call: no side is named."
	}
	if len(s.causes) == 0 {
		return text + "; no single cause carries a fifth of that."
	}
	text += ": " + j.parts(s) + "."
	if warm := s.e2e - coldTime(s); warm < s.e2e && warm > 0 {
		text += fmt.Sprintf(" Warm it would have taken %s.", timeText(warm))
	}
	return text
}

// coldCauses are those that a warm system would not have had.
var coldCauses = []string{
	causeLLMLoad, causeSharedLoad, causeEviction, causeKeepAlive, causeReload, causeEmbedLoad, causeIndexCold, causeRerankCold,
	causeLazyImport,
}

func coldTime(s *slowQuestion) time.Duration {
	var sum time.Duration
	for _, c := range s.causes {
		if slices.Contains(coldCauses, c.Cause) {
			sum += c.Time
		}
	}
	return sum
}

// parts names the causes by side, the dominant side first: "4100 ms model load (inside the LLM), 1600 ms embedding model
// load and 900 ms first search (outside)".
func (j *Judgement) parts(s *slowQuestion) string {
	var sides []string
	words := make(map[string][]string)
	for _, c := range s.causes {
		side := causeSides[c.Cause]
		if words[side] == nil {
			sides = append(sides, side)
		}
		words[side] = append(words[side], timeText(c.Time)+" "+j.phrase(s, c.Cause))
	}
	parts := make([]string, len(sides))
	for i, side := range sides {
		parts[i] = list(words[side]) + " (" + side + ")"
	}
	return strings.Join(parts, ", ")
}

// phrase says what a cause is, with what this question shows of it.
func (j *Judgement) phrase(s *slowQuestion, cause string) string {
	switch cause {
	case causeRetry:
		return j.lost(s.row)
	case causeKeepAlive, causeReload, causeSharedLoad:
		_, e := j.loadCause(s.group, s.row)
		switch cause {
		case causeKeepAlive:
			return fmt.Sprintf("%s of %s, idle for %s", phrases[cause], timeText(j.keepAlive(e)), timeText(e.idle))
		case causeReload:
			return fmt.Sprintf("%s (num_ctx %d after %d)", phrases[cause], j.numCtx(e.call), j.numCtx(int(e.last.call)))
		}
		return fmt.Sprintf("%s by %s", phrases[cause], j.questionText(e.other))
	}
	return phrases[cause]
}
