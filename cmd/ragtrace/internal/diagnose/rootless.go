package diagnose

import "slices"

// rootless makes a question of each number that spans below tops carry, although no root came with it. Its times are
// unknown; that it used a model is still worth knowing.
func (f *forest) rootless(tops []int) []Question {
	var numbers []int
	below := make(map[int][]int)
	for _, top := range tops {
		number := 0
		for i := top; i < f.nodes[top].end && number == 0; i++ {
			number = numberOf(f.nodes[i].span)
		}
		if number == 0 {
			continue
		}
		if below[number] == nil {
			numbers = append(numbers, number)
		}
		below[number] = append(below[number], top)
	}
	questions := make([]Question, 0, len(numbers))
	for _, number := range numbers {
		t := grow(f, -1, below[number])
		t.flag(FlagMissingRoot)
		t.unwrap()
		t.findCalls()
		t.adoptServed()
		t.reportedPhases()
		q := Question{TraceID: f.nodes[below[number][0]].span.TraceID, Number: number, Status: StatusIncomplete}
		spans := t.spans()
		if len(spans) > 0 {
			id := serviceOf(slices.MinFunc(spans, firstSpan))
			q.Service, q.Instance = id.name, id.instance
		}
		q.identify(nil, spans)
		t.finish(&q)
		questions = append(questions, q)
	}
	return questions
}
