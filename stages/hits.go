package stages

import "math"

// Hits collect what an answer says of its hits while its values pass. They become facts with Facts.Found, when the answer
// turned out whole. The zero value has no hits.
type Hits struct {
	N         int64 // hits so far, over all queries of a batch
	scores    spread
	distances spread
}

// Score takes the score of a hit: the more, the nearer.
func (h *Hits) Score(s float64) { h.scores.add(s) }

// Distance takes the distance of a hit: the less, the nearer.
func (h *Hits) Distance(d float64) { h.distances.add(d) }

// Distances reports whether a hit had a distance.
func (h *Hits) Distances() bool { return h.distances.any }

// Found makes the hits facts.
func (f *Facts) Found(h *Hits) {
	f.Hits = Count{N: h.N, Source: Measured}
	f.ScoreMin, f.ScoreMax = h.scores.bounds()
	f.DistanceMin, f.DistanceMax = h.distances.bounds()
}

// A spread is the smallest and the largest of some numbers.
type spread struct {
	any      bool
	min, max float64
}

func (s *spread) add(x float64) {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
	case !s.any:
		*s = spread{true, x, x}
	default:
		s.min, s.max = min(s.min, x), max(s.max, x)
	}
}

func (s spread) bounds() (lo, hi *float64) {
	if !s.any {
		return nil, nil
	}
	return &s.min, &s.max
}
