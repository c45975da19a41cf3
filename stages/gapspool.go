package stages

// Pool adds the gaps of other, which may be nil or empty, as if each had been added: for the distribution over several
// exchanges.
func (g *Gaps) Pool(other *Gaps) {
	if other.N() == 0 {
		return
	}
	for _, d := range other.exact {
		g.Add(d)
	}
	if other.buckets == nil {
		return
	}
	if g.buckets == nil {
		g.buckets = new(gapBuckets)
		for _, d := range g.exact {
			g.buckets.add(d)
		}
		g.exact = nil
	}
	for i, n := range other.buckets {
		g.buckets[i] += min(n, ^uint32(0)-g.buckets[i])
	}
	g.n += other.n
	g.max = max(g.max, other.max)
}
