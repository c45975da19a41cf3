package cli

import (
	"bytes"
	"strings"
	"testing"
)

// What a person typed wrong is told apart from what went wrong, also where the library finds it late.
func TestWrongUseIsToldApart(t *testing.T) {
	for _, tt := range []struct {
		args string
		code int
	}{
		{"bogus", exitUsage},
		{"slow --bogus", exitUsage},
		{"demo --once --db x.db", exitUsage}, // flags that exclude each other
		{"slow --from no-such-file.json", exitFailed},
	} {
		var stdout, stderr bytes.Buffer
		if code := Main(strings.Fields(tt.args), &stdout, &stderr); code != tt.code {
			t.Errorf("ragtrace %s: exit code %d, want %d (%s)", tt.args, code, tt.code, stderr.String())
		}
		if !strings.HasPrefix(stderr.String(), "ragtrace") {
			t.Errorf("ragtrace %s: %q does not say who speaks", tt.args, stderr.String())
		}
	}
}
