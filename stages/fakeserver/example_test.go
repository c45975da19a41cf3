package fakeserver_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/stages/fakeserver"
)

// A cold Ollama for a test: the finish of its first answer tells of the load.
func ExampleNewOllama() {
	ollama := httptest.NewServer(fakeserver.NewOllama(fakeserver.OllamaConfig{
		Models: []fakeserver.Model{{
			Name: "llama3.2", Load: 30 * time.Millisecond, TokenTime: time.Millisecond,
			Answer: func(prompt string) string { return "You asked: " + prompt },
		}},
	}))
	defer ollama.Close()

	resp, err := http.Post(ollama.URL+"/api/generate", "application/json", strings.NewReader(`{"model":"llama3.2","prompt":"why?"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		var line struct {
			Response     string
			LoadDuration time.Duration `json:"load_duration"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%q %v\n", line.Response, line.LoadDuration > 30*time.Millisecond)
	}
	// Output:
	// "You" false
	// " asked" false
	// ":" false
	// " why" false
	// "?" false
	// "" true
}
