package stream

import (
	"fmt"
	"strings"
)

// maxDepth is how deep a path may lead.
const maxDepth = 16

// A Schema is a set of JSON paths, compiled. It is made once and shared.
type Schema struct {
	root node
}

// A node is what a Schema says of one place in a document.
type node struct {
	path    int  // the index of the path that ends here, or -1
	measure bool // text is counted, not kept
	end     bool // the end of a long text is kept too
	fields  []field
	any     *node // of every other field
	elem    *node
}

type field struct {
	key  string
	node *node
}

// NewSchema compiles paths such as "model", "message.content", "choices[].delta.content". "embeddings[]" is each element
// of an array, "embeddings" the array itself; "classes.*" is each field that no other path names. A path that ends in # is
// measured only: its text is counted, not kept. Of a long text at a path that ends in ~ the end is kept too. The path "$" is
// the whole document.
//
// NewSchema panics on a path that it cannot compile: paths are written in the program.
func NewSchema(paths ...string) *Schema {
	s := &Schema{root: node{path: -1}}
	for i, p := range paths {
		s.add(i, p)
	}
	return s
}

func (s *Schema) add(index int, path string) {
	p, measure := strings.CutSuffix(path, "#")
	p, end := strings.CutSuffix(p, "~")
	n, depth := &s.root, 0
	if p != "$" {
		for _, step := range strings.Split(strings.ReplaceAll(p, "[]", ".[]"), ".") {
			if step == "" && depth == 0 {
				continue // a path that begins with []
			}
			n = n.child(step)
			depth++
		}
	}
	if n.path >= 0 || depth > maxDepth {
		panic(fmt.Sprintf("stream: path %q stands twice or is too deep", path))
	}
	n.path, n.measure, n.end = index, measure, end
}

func (n *node) child(step string) *node {
	if step == "[]" {
		if n.elem == nil {
			n.elem = &node{path: -1}
		}
		return n.elem
	}
	if step == "*" {
		if n.any == nil {
			n.any = &node{path: -1}
		}
		return n.any
	}
	for _, f := range n.fields {
		if f.key == step {
			return f.node
		}
	}
	c := &node{path: -1}
	n.fields = append(n.fields, field{step, c})
	return c
}

// find is the node below key, or nil.
func (n *node) find(key []byte) *node {
	for i := range n.fields {
		if n.fields[i].key == string(key) {
			return n.fields[i].node
		}
	}
	return n.any
}
