package fakeserver

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
	"unicode"
)

// Weights of the features of a text: a word counts most, a short one (the, of, is) little, its trigrams let forms of one
// word be near each other.
const (
	wordWeight    = 1.0
	shortWeight   = 0.2
	trigramWeight = 0.35
)

// Embedding returns the vector that the embedding models here make of text: a bag of its words and their trigrams, each
// hashed to a direction of its own among dim dimensions, added up and scaled to unit length. It depends on nothing but its
// arguments; the same words in another order are the same vector. Unrelated texts are nearly at a right angle: the more
// dimensions, the nearer. dim must be positive.
func Embedding(text string, dim int) []float32 { return unit(features(text, dim)) }

// features returns the vector before it is scaled.
func features(text string, dim int) []float32 {
	v := make([]float32, dim)
	add := func(feature string, weight float32) {
		h := fnv.New64a()
		h.Write([]byte(feature))
		direction := rand.NewPCG(h.Sum64(), 0)
		for i := range v {
			v[i] += weight * (float32(direction.Uint64()>>40)/(1<<23) - 1)
		}
	}
	list := words(text)
	if len(list) == 0 {
		add(text, 1) // a direction too, though near nothing
	}
	for _, word := range list {
		if len(word) <= 3 {
			add(word, shortWeight)
			continue
		}
		add(word, wordWeight)
		runes := []rune("^" + word + "$")
		for i := 0; i+3 <= len(runes); i++ {
			add(string(runes[i:i+3]), trigramWeight)
		}
	}
	return v
}

// words returns text's words in lower case.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// unit scales v, in place, to length one.
func unit(v []float32) []float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	scale := float32(1 / max(math.Sqrt(sum), 1e-12))
	for i := range v {
		v[i] *= scale
	}
	return v
}
