package diagnose

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// A Layout is one question laid out over time, with the tree, clocks and stages that its figures come from.
type Layout struct {
	// Rows begin with the root. What is below a row follows it, by start.
	Rows []Row
	// First is when the first token came, from Enter, by each ruler that the spans tell it by.
	First FirstTokens
	// Flags are the doubts that the spans themselves carry, sorted.
	Flags []string
}

// FirstTokens is when the first token came by three rulers, and the answer's first byte, all from Enter. What no span tells
// is nil.
type FirstTokens struct {
	Server *time.Duration // it left the model
	Client *time.Duration // it reached the application
	User   *time.Duration // it reached the user
	Byte   *time.Duration // the answer's first byte went to the user, be it of a token or not
}

// A RowKind says what the time of a row was spent on.
type RowKind uint8

// The kinds of rows.
const (
	RowFrame   RowKind = iota // contains other rows, or belongs to no stage
	RowInside                 // work of the LLM server
	RowOutside                // work of any other stage, failed attempts too
	RowGap                    // no stage
)

// A Row is a span in its place, or a stretch that no span stands for: a gap, a phase of which only the duration is known,
// the wait after a failed attempt.
type Row struct {
	Span   *model.Span // nil when no span stands for it
	Name   string      // the span's, else what it is
	Stage  string      // as in ragtrace.stage; "gap" for a gap, "retry" for a wait; "" for none
	Kind   RowKind
	Parent int // index; -1 for the root
	Depth  int
	// Component is what the row's time counts as where none of higher precedence is active; it means nothing for a frame.
	Component Component
	Start     time.Duration // from Enter, on the root's clock, not outside the root
	End       time.Duration
	Failed    bool
	Cold      bool // the longest row of a component with a cold cost
	// Path is when nothing but this row kept the question from ending sooner, by start.
	Path []Stretch
}

// A Stretch is a part of a question's time, from Enter.
type Stretch struct{ Start, End time.Duration }

// Lay lays out a question. spans are those of its trace. ok is false when its root is missing, from r or from the spans:
// then it has no times.
func Lay(spans []model.Span, r Result) (l Layout, ok bool) {
	if r.Question == nil || !r.Question.Timed() {
		return Layout{}, false
	}
	trace := make([]*model.Span, len(spans))
	for i := range spans {
		trace[i] = &spans[i]
	}
	f := plant(trace)
	roots := f.roots()
	i := slices.IndexFunc(roots, func(at int) bool { return f.nodes[at].span.SpanID == r.Question.RootID })
	if i < 0 {
		return Layout{}, false
	}
	orphans, _ := f.orphans(roots)
	t := grow(f, roots[i], orphans[i])
	t.settle()
	l.Rows = inOrder(t.rows())
	markCold(l.Rows, r.Cold)
	markPath(l.Rows)
	l.First = t.firstTokens()
	l.Flags = t.ownFlags()
	return l, true
}

// rows are the nodes and what no span stands for, in no order but the root first.
func (t *tree) rows() []Row {
	rows := make([]Row, 0, len(t.nodes))
	for i := range t.nodes {
		n := &t.nodes[i]
		rows = append(rows, t.row(n.parent, n.span.Name, stageName(n), n.start, n.end))
		r := &rows[i]
		r.Span, r.Failed = n.span, n.failed()
		r.Kind, r.Component = t.kind(i)
	}
	add := func(parent int, name, stage string, kind RowKind, c Component, start, end int64) {
		r := t.row(parent, name, stage, start, end)
		r.Kind, r.Component = kind, c
		rows = append(rows, r)
	}
	for i := range t.calls {
		c := &t.calls[i]
		for _, p := range c.made {
			add(c.at, p.stage.String(), p.stage.String(), RowInside, p.stage, p.start, p.end)
		}
		if c.isServer {
			continue
		}
		for _, r := range t.retries(c) {
			rows[r.at].Kind, rows[r.at].Component = RowOutside, Retry
			if end := t.nodes[r.at].end; r.end > end {
				add(t.nodes[r.at].parent, "wait for retry", Retry.String(), RowOutside, Retry, end, r.end)
			}
		}
		if served := t.serving(c); t.opaque(c) && !t.fills(c, served) {
			rows[c.at].Kind = RowFrame
			for _, s := range served {
				add(c.at, "LLM server", LLMOther.String(), RowInside, LLMOther, s.start, s.end)
			}
		}
	}
	return t.addGaps(rows)
}

func (t *tree) row(parent int, name, stage string, start, end int64) Row {
	root := &t.nodes[0]
	start = min(max(start, root.start), root.end)
	end = min(max(end, start), root.end)
	return Row{
		Parent: parent, Name: name, Stage: stage, Start: time.Duration(start - root.start), End: time.Duration(end - root.start),
	}
}

// fills reports whether a call is nothing but the LLM server's work.
func (t *tree) fills(c *call, served []interval) bool {
	n := &t.nodes[c.at]
	return len(served) == 1 && served[0] == interval{n.start, n.end}
}

// stageName is a node's stage as ragtrace.stage writes it.
func stageName(n *node) string {
	own := n.span.Attrs.String("ragtrace.stage")
	if _, known := ownStages[own]; known || own == "question" && n.parent < 0 {
		return own
	}
	switch n.stage {
	case noStage:
		return ""
	case llmStage:
		return "llm"
	}
	return n.stage.String()
}

// kind says what a node's row shows. A call with phases or a server span below it is only their frame: the rest of it is
// network.
func (t *tree) kind(i int) (RowKind, Component) {
	n := &t.nodes[i]
	switch {
	case i == 0 || n.stage == noStage:
		return RowFrame, Gap
	case n.stage != llmStage:
		if n.stage.InsideLLM() {
			return RowInside, n.stage
		}
		return RowOutside, n.stage
	case n.span.Kind == model.KindServer:
		return RowInside, LLMOther
	case n.failed():
		return RowOutside, Retry
	case n.call < 0 || t.calls[n.call].at != i:
		return RowFrame, Gap // a call within a call
	}
	if t.opaque(&t.calls[n.call]) {
		return RowInside, LLMOther
	}
	return RowFrame, Transport
}

// shownGap is the part of a question from which a gap has a row; shorter ones are the time between two statements.
const shownGap = 1. / 200

// addGaps adds the time that no stage covers, below the deepest row that contains it.
func (t *tree) addGaps(rows []Row) []Row {
	children := childrenOf(rows)
	var gaps []Row
	t.cover(func(c Component, start, end int64) {
		if c != Gap && c != GapStart {
			return
		}
		gap := t.row(0, "gap", "gap", start, end)
		gap.Kind, gap.Component = RowGap, c
		if float64(gap.End-gap.Start) < shownGap*float64(rows[0].End) {
			return
		}
		gap.Name = gapName(rows, gap)
		contains := func(i int) bool { return rows[i].Start <= gap.Start && gap.End <= rows[i].End }
		for {
			at := slices.IndexFunc(children[gap.Parent], contains)
			if at < 0 {
				break
			}
			gap.Parent = children[gap.Parent][at]
		}
		gaps = append(gaps, gap)
	})
	return append(rows, gaps...)
}

// gapName names a gap after the HTTP request that fills half of it or more, which is of no stage that is known.
func gapName(rows []Row, gap Row) string {
	name, most := gap.Name, (gap.End-gap.Start)/2
	for i := range rows {
		r := &rows[i]
		if r.Span == nil || r.Kind != RowFrame || r.Stage != "" || r.Span.Kind != model.KindClient {
			continue
		}
		method := firstString(r.Span.Attrs, methodKeys)
		if shared := min(r.End, gap.End) - max(r.Start, gap.Start); method != "" && shared >= most && shared > 0 {
			name, most = "no stage ("+strings.TrimSpace(method+" "+hostOf(r.Span.Attrs))+")", shared
		}
	}
	return name
}

// hostOf is the host that an HTTP request went to; "" when unknown.
func hostOf(a model.Attrs) string {
	if host := firstString(a, []string{"server.address", "net.peer.name"}); host != "" {
		return host
	}
	u, err := url.Parse(firstString(a, []string{"url.full", "http.url"}))
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// childrenOf lists the rows below each row, by start.
func childrenOf(rows []Row) [][]int {
	children := make([][]int, len(rows))
	for i := range rows[1:] {
		p := rows[1+i].Parent
		children[p] = append(children[p], 1+i)
	}
	for _, list := range children {
		slices.SortFunc(list, func(a, b int) int {
			x, y := &rows[a], &rows[b]
			return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(y.End, x.End), cmp.Compare(x.Name, y.Name), cmp.Compare(a, b))
		})
	}
	return children
}

// inOrder puts what is below a row right after it, without recursion since a trace may be a chain of any length.
func inOrder(rows []Row) []Row {
	children := childrenOf(rows)
	ordered := make([]Row, 0, len(rows))
	place := make([]int, len(rows))
	todo := []int{0}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		r := rows[at]
		if r.Parent >= 0 {
			r.Parent = place[r.Parent]
			r.Depth = ordered[r.Parent].Depth + 1
		}
		place[at] = len(ordered)
		ordered = append(ordered, r)
		for _, c := range slices.Backward(children[at]) {
			todo = append(todo, c)
		}
	}
	return ordered
}

// markCold marks each cold cost at the longest row of its component.
func markCold(rows []Row, costs []Cold) {
	for _, c := range costs {
		longest := -1
		for i := range rows {
			r := &rows[i]
			if r.Kind == RowFrame || r.Component != c.Component {
				continue
			}
			if longest < 0 || r.End-r.Start > rows[longest].End-rows[longest].Start {
				longest = i
			}
		}
		if longest >= 0 {
			rows[longest].Cold = true
		}
	}
}

// firstTokens reads the first token of the answering call.
func (t *tree) firstTokens() FirstTokens {
	var f FirstTokens
	root := &t.nodes[0]
	fromEnter := func(at int64) *time.Duration {
		if at < root.start || at > root.end {
			return nil
		}
		d := time.Duration(at - root.start)
		return &d
	}
	f.Byte = t.firstByte()
	if d, ruler := t.ttft(); ruler == RulerUser {
		f.User = &d
	}
	c := t.answering()
	if c == nil {
		return f
	}
	if n, d, ok := t.firstTokenBy(c, RulerClient); ok {
		f.Client = fromEnter(n.start + int64(d))
	}
	// Decoding begins with the first token, wherever the request's arrival was.
	decode := int64(0)
	c.eachPhase(t, func(stage Component, start, _ int64) {
		if stage == LLMDecode && (decode == 0 || start < decode) {
			decode = start
		}
	})
	if decode != 0 {
		f.Server = fromEnter(decode)
	} else if n, d, ok := t.firstTokenBy(c, RulerServer); ok {
		f.Server = fromEnter(n.start + int64(d))
	}
	return f
}

// ownFlags are the doubts that the spans carry.
func (t *tree) ownFlags() []string {
	var flags []string
	for i := range t.nodes {
		list, _ := t.nodes[i].span.Attrs["ragtrace.flags"].([]any)
		for _, f := range list {
			if name, ok := f.(string); ok {
				flags = append(flags, name)
			}
		}
	}
	slices.Sort(flags)
	return slices.Compact(flags)
}
