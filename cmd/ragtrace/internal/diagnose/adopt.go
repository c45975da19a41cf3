package diagnose

// adoptServed gives server spans and phases that lie below no call, since a span between was lost, to the call during
// which they happened: the shortest without any of its own around their middle. What finds no call stays alone.
func (t *tree) adoptServed() {
	served := make([]bool, len(t.calls)) // has its own, as opposed to adopted ones
	for i := range t.calls {
		served[i] = len(t.calls[i].servers)+len(t.calls[i].phases) > 0
	}
	around := func(n *node) *call {
		middle := n.start + (n.end-n.start)/2
		var best *call
		for i := range t.calls {
			c := &t.calls[i]
			if c.isServer || served[i] || t.failedCall(c) {
				continue
			}
			at := &t.nodes[c.at]
			if at.start <= middle && middle <= at.end && (best == nil || at.end-at.start < t.length(best)) {
				best = c
			}
		}
		return best
	}
	for i := range t.calls {
		c := &t.calls[i]
		if !c.isServer {
			continue
		}
		if adopter := around(&t.nodes[c.at]); adopter != nil {
			adopter.servers = append(adopter.servers, c.servers...)
			adopter.phases = append(adopter.phases, c.phases...)
			c.servers, c.phases = nil, nil
		}
	}
	for i := range t.nodes {
		n := &t.nodes[i]
		if n.call >= 0 || !n.stage.InsideLLM() {
			continue
		}
		if adopter := around(n); adopter != nil {
			adopter.phases = append(adopter.phases, i)
		}
	}
}

func (t *tree) length(c *call) int64 { return t.nodes[c.at].end - t.nodes[c.at].start }
