package diagnose

import "sync"

const (
	// manyPeers is from how many ok questions on a group's samples are made together.
	manyPeers = 4096
	// halves is how many goroutines share work on many questions, and near how many questions one looks at together, as
	// they do not fit into a processor's cache all at once.
	halves = 2
	near   = 128
)

// sampleAll makes the samples of all quantities that are not there yet.
func (g *group) sampleAll() {
	var sharing sync.WaitGroup
	for half := range halves {
		sharing.Go(func() { g.sampleHalf(half) })
	}
	sharing.Wait()
}

// sampleHalf makes the samples of one quantity in two.
func (g *group) sampleHalf(first int) {
	var columns [numQuantities][]float64
	for start := 0; start < len(g.ok); start += near {
		questions := g.ok[start:min(start+near, len(g.ok))]
		for k := quantity(first); k < numQuantities; k += halves {
			if g.samples[k] != nil {
				continue
			}
			if columns[k] == nil {
				columns[k] = make([]float64, 0, len(g.ok))
			}
			for _, q := range questions {
				if v, ok := k.of(q); ok {
					columns[k] = append(columns[k], v)
				}
			}
		}
	}
	for k := quantity(first); k < numQuantities; k += halves {
		if g.samples[k] == nil {
			g.samples[k] = newSample(columns[k])
		}
	}
}
