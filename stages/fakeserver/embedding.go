package fakeserver

import (
	"hash/fnv"
	"math"
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

// Embedding returns the vector that the embedding models here make of text: a bag of its words and their trigrams, hashed
// into dim numbers and scaled to unit length. It depends on nothing but its arguments; the same words in another order are
// the same vector. A text without words gives the unit vector of the first dimension. dim must be positive.
func Embedding(text string, dim int) []float32 { return unit(features(text, dim)) }

// features returns the vector before it is scaled.
func features(text string, dim int) []float32 {
	v := make([]float32, dim)
	add := func(feature string, weight float32) {
		h := fnv.New64a()
		h.Write([]byte(feature))
		sum := h.Sum64()
		// The sign keeps unrelated texts near a right angle: collisions cancel out instead of adding up.
		if sum>>63 == 1 {
			weight = -weight
		}
		v[sum%uint64(dim)] += weight
	}
	for _, word := range words(text) {
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
	if sum == 0 {
		v[0] = 1
		return v
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= scale
	}
	return v
}
