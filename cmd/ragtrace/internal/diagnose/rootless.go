package diagnose

import "slices"

// rootless makes a question of each number that spans below tops carry, although no root came with it. Its times are
// unknown; that it used a model is still worth knowing. In a trace that holds it alone, all else is its own too.
func (f *forest) rootless(tops []int, alone bool) []Question {
	var numbers, unnumbered []int
	below := make(map[int][]int)
	for _, top := range tops {
		number := 0
		for i := top; i < f.nodes[top].end && number == 0; i++ {
			number = numberOf(f.nodes[i].span)
		}
		if number == 0 {
			unnumbered = append(unnumbered, top)
			continue
		}
		if below[number] == nil {
			numbers = append(numbers, number)
		}
		below[number] = append(below[number], top)
	}
	if len(numbers) == 1 && alone {
		below[numbers[0]] = append(below[numbers[0]], unnumbered...)
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
