package diagnose

import "slices"

// Number gives each question that its spans give no number its place in its session. Numbers of fewer questions would be
// others: so all that are known are numbered before any are left out.
func Number(questions []Question) {
	sorted := make([]*Question, len(questions))
	for i := range questions {
		sorted[i] = &questions[i]
	}
	slices.SortFunc(sorted, byStart)
	asked := make(map[string]int) // by session
	for _, q := range sorted {
		if q.Timed() {
			asked[q.Session]++
		}
		if q.Number == 0 {
			q.Number = asked[q.Session]
		}
	}
}
