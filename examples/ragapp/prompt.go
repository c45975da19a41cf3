package main

import "strings"

const instruction = "Answer the question from the passages below, in a few sentences. Say so when they do not tell."

// buildPrompt makes the messages of a question: the passages, the session so far, and the question.
func buildPrompt(question string, found []passage, earlier []message) []message {
	var system strings.Builder
	system.WriteString(instruction)
	for _, p := range found {
		system.WriteString("\n\n" + p.title + ": " + p.text)
	}
	messages := []message{{Role: "system", Content: system.String()}}
	messages = append(messages, earlier...)
	return append(messages, message{Role: "user", Content: question})
}
