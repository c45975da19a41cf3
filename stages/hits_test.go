package stages

import (
	"math"
	"testing"
)

func TestFoundKeepsTheBoundsOfWhatWasANumber(t *testing.T) {
	var f Facts
	h := Hits{N: 4}
	for _, s := range []float64{math.NaN(), 0.4, -0.2, math.Inf(1), 0.9} {
		h.Score(s)
	}
	f.Found(&h)
	if f.Hits != (Count{4, Measured}) || *f.ScoreMax != 0.9 || *f.ScoreMin != -0.2 {
		t.Errorf("hits %v, scores %v to %v; want 4, -0.2 to 0.9", f.Hits, *f.ScoreMin, *f.ScoreMax)
	}
	if f.DistanceMax != nil || f.DistanceMin != nil {
		t.Error("distances where there were none")
	}
}

func TestNothingFoundIsZeroHitsAndNoScore(t *testing.T) {
	var f Facts
	f.Found(new(Hits))
	if f.Hits != (Count{0, Measured}) || f.ScoreMax != nil || f.DistanceMin != nil {
		t.Errorf("%+v, want 0 hits that were counted, and no score", f)
	}
}

func TestDistancesAreNoScores(t *testing.T) {
	var f Facts
	var h Hits
	h.Distance(0)
	h.Distance(1.5)
	f.Found(&h)
	if f.ScoreMax != nil || *f.DistanceMin != 0 || *f.DistanceMax != 1.5 || !h.Distances() {
		t.Errorf("%+v, want distances 0 to 1.5 and no score", f)
	}
}
