package fakeserver

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
)

// A collection is a set of points of one dimension.
type collection struct {
	name     string
	id       string // a UUID, where the dialect has one
	dim      int    // 0 until known
	points   []point
	byID     map[string]int
	searched bool
	meta     json.RawMessage // what it was created with, where the dialect shows that
}

type point struct {
	id      any // as the dialect writes it
	vector  []float32
	payload map[string]any
	version int
}

type hit struct {
	point
	score float32 // the cosine
}

// collection returns the one of that name, making it if make is given.
func (s *VectorStore) collection(dialect, name string, make func() *collection) (c *collection, made bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := dialect + " " + name
	c = s.collections[key]
	if c == nil && make != nil {
		c = make()
		c.name, c.byID = name, map[string]int{}
		s.collections[key] = c
		return c, true
	}
	return c, false
}

// names lists a dialect's collections.
func (s *VectorStore) names(dialect string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for key := range s.collections {
		if name, ok := strings.CutPrefix(key, dialect+" "); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (s *VectorStore) remove(dialect, name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := dialect + " " + name
	_, ok := s.collections[key]
	delete(s.collections, key)
	return ok
}

// A dimError is a vector of another length than its collection's.
type dimError struct{ want, got int }

func (e *dimError) Error() string {
	return fmt.Sprintf("a vector of %d dimensions among ones of %d", e.got, e.want)
}

// put writes points, those of a known id over the old ones: all of them or, with an error, none.
func (s *VectorStore) put(c *collection, points []point) *dimError {
	s.mu.Lock()
	defer s.mu.Unlock()
	dim := c.dim
	for _, p := range points {
		if dim == 0 {
			dim = len(p.vector)
		}
		if len(p.vector) != dim {
			return &dimError{dim, len(p.vector)}
		}
	}
	c.dim = dim
	for _, p := range points {
		key := string(encode(p.id))
		if i, ok := c.byID[key]; ok {
			p.version = c.points[i].version + 1
			c.points[i] = p
			continue
		}
		c.byID[key] = len(c.points)
		c.points = append(c.points, p)
	}
	return nil
}

// search returns the limit points nearest to v, the nearest first; of equal ones, or of all if v is nil, the older first. The error
// is a *dimError or the context's.
func (s *VectorStore) search(ctx context.Context, c *collection, v []float32, limit int) ([]hit, error) {
	s.mu.Lock()
	if v != nil && c.dim != 0 && len(v) != c.dim {
		defer s.mu.Unlock()
		return nil, &dimError{c.dim, len(v)}
	}
	d := s.config.Search
	if !c.searched {
		c.searched = true
		d += s.config.FirstSearch
	}
	s.mu.Unlock()
	if err := wait(ctx, d); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	hits := []hit{}
	for _, p := range c.points {
		hits = append(hits, hit{p, cosine(v, p.vector)})
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	return hits[:min(max(limit, 0), len(hits))], nil
}

// size returns the number of points and their dimension, 0 if it is not known yet.
func (s *VectorStore) size(c *collection) (points, dim int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(c.points), c.dim
}

func cosine(a, b []float32) float32 {
	var dot, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return float32(dot / math.Sqrt(aa*bb))
}
