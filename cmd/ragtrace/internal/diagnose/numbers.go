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
	for q, place := range placesOf(sorted) {
		q.Number = place
	}
}

// placesOf are the places in their sessions, from 1, of the questions without a number. questions are by start.
func placesOf(questions []*Question) map[*Question]int {
	places := make(map[*Question]int)
	asked := make(map[string]int) // by session
	for _, q := range questions {
		if q.Timed() {
			asked[q.Session]++
		}
		if q.Number == 0 {
			places[q] = asked[q.Session]
		}
	}
	return places
}
