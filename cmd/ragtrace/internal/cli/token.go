package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/bearer"
)

// readToken reads what --token says: the token, or @ and the file that holds it, since arguments show in lists of processes.
// One that is given and empty is refused: a variable that is not set would leave the door open.
func readToken(text string, given bool) (bearer.Token, error) {
	if given && text == "" {
		return "", usagef("--token is empty: give one, or leave the flag out to ask for none")
	}
	path, isFile := strings.CutPrefix(text, "@")
	if isFile {
		raw, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("--token: %w", err)
		}
		if text = strings.TrimSpace(string(raw)); text == "" {
			return "", usagef("--token: %s is empty", path)
		}
	}
	// https://www.rfc-editor.org/rfc/rfc6750#section-2.1
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", usagef("--token: a token is of ASCII characters without spaces")
	}
	return bearer.Token(text), nil
}
