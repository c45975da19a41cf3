package diagnose

import (
	"slices"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

const serverKind = model.KindServer

// measure makes a question of its spans.
func measure(t *tree) Question {
	t.settle()
	root := t.nodes[0].span
	id := serviceOf(root)
	var q Question
	q.TraceID, q.RootID = root.TraceID, root.SpanID
	q.Service, q.Instance, q.Pipeline = id.name, id.instance, pipelineOf(root)
	q.Start, q.End = root.Start, root.End
	q.identify(root, t.spans())
	q.Components, q.Stages = t.sweep()
	q.Status = t.status()
	q.TTFT, q.TTFTRuler = t.ttft()
	q.FirstByte = t.firstByte()
	q.HeldBack = t.heldBack()
	t.finish(&q)
	return q
}

// settle brings clocks, stages and calls in order.
func (t *tree) settle() {
	t.unwrap()
	t.alignClocks()
	t.findCalls()
	t.adoptServed()
	t.reportedPhases()
}

// finish fills in what does not need a root.
func (t *tree) finish(q *Question) {
	t.checkDurations()
	for i := range t.calls {
		c := &t.calls[i]
		adopted := c.isServer && len(c.servers) == 0 // then the call that took it in tells
		if !adopted && !c.phasesKnown() && !t.failedCall(c) {
			t.flag(FlagPhasesUnknown)
		}
	}
	q.Calls = t.records()
	q.EmbedModel = t.embedModel()
	slices.Sort(t.flags)
	q.Flags = t.flags
}

// embedModel is the model of the first embedding call that names one.
func (t *tree) embedModel() string {
	var first *model.Span
	name := ""
	for i := range t.nodes[1:] {
		n := &t.nodes[1+i]
		if n.stage != Embed || first != nil && firstSpan(first, n.span) < 0 {
			continue
		}
		if m := firstString(n.span.Attrs, modelKeys); m != "" {
			first, name = n.span, m
		}
	}
	return name
}
