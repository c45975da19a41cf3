package diagnose

import "github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"

// rootless makes a question of each number that spans below tops carry, although no root came with it. Its times are
// unknown; that it used a model is still worth knowing.
func (f *forest) rootless(tops []int) []Question {
	type key struct {
		session string
		number  int
	}
	var keys []key
	below := make(map[key][]int)
	for _, top := range tops {
		k := key{}
		for i := top; i < f.nodes[top].end && k.number == 0; i++ {
			k = key{sessionOf(f.nodes[i].span), numberOf(f.nodes[i].span)}
		}
		if k.number == 0 {
			continue
		}
		if below[k] == nil {
			keys = append(keys, k)
		}
		below[k] = append(below[k], top)
	}
	questions := make([]Question, 0, len(keys))
	for _, k := range keys {
		t := grow(f, -1, below[k])
		t.flag(FlagMissingRoot)
		t.unwrap()
		t.findCalls()
		t.adoptServed()
		t.reportedPhases()
		first := earliest(t.spans())
		id := serviceOf(first)
		q := Question{TraceID: first.TraceID, Service: id.name, Instance: id.instance, Status: StatusIncomplete}
		q.identify(nil, t.spans())
		t.finish(&q)
		questions = append(questions, q)
	}
	return questions
}

// earliest is the first span by start; nil when there is none.
func earliest(spans []*model.Span) *model.Span {
	var first *model.Span
	for _, s := range spans {
		if first == nil || firstSpan(s, first) < 0 {
			first = s
		}
	}
	return first
}
