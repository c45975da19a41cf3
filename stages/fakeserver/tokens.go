package fakeserver

import (
	"hash/fnv"
	"unicode"
)

// tokenRunes is the longest piece of a word that is one token.
const tokenRunes = 8

// split cuts text into tokens: a word of up to tokenRunes letters or digits with the space before it, or one other rune.
// Joined they are the text.
func split(text string) []string {
	var tokens []string
	start, runes, word := 0, 0, false
	for i, r := range text {
		inWord := unicode.IsLetter(r) || unicode.IsDigit(r)
		// A space and the word after it are one token; a word goes on until it is too long.
		joins := i == start || inWord && (word && runes < tokenRunes || !word && i == start+1 && text[start] == ' ')
		if !joins {
			tokens = append(tokens, text[start:i])
			start, runes = i, 0
		}
		word = inWord
		if inWord {
			runes++
		}
	}
	if start < len(text) {
		tokens = append(tokens, text[start:])
	}
	return tokens
}

// promptTokens counts text's tokens with the one that begins every prompt.
func promptTokens(text string) int { return len(split(text)) + 1 }

// tokenID gives each token a steady number, as the context array of a generate answer holds them.
func tokenID(token string) int {
	h := fnv.New32a()
	h.Write([]byte(token))
	return 3 + int(h.Sum32()%31997)
}
