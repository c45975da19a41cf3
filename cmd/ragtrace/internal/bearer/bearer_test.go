package bearer

import (
	"net/http"
	"testing"
)

func TestAllows(t *testing.T) {
	for _, c := range []struct {
		token  Token
		header string
		want   bool
	}{
		{"", "", true}, {"", "Bearer x", true},
		{"secret", "Bearer secret", true}, {"secret", "bearer secret", true},
		{"secret", "", false}, {"secret", "secret", false}, {"secret", "Bearer", false}, {"secret", "Bearer ", false},
		{"secret", "Bearer Secret", false}, {"secret", "Bearer secret ", false}, {"secret", "Basic secret", false},
	} {
		r := &http.Request{Header: http.Header{"Authorization": {c.header}}}
		if got := c.token.Allows(r); got != c.want {
			t.Errorf("token %q, header %q: %v", c.token, c.header, got)
		}
	}
}

func TestAllowsPerson(t *testing.T) {
	for _, c := range []struct {
		token          Token
		name, password string
		want           bool
	}{{"", "", "", true}, {"secret", "", "", false}, {"secret", "me", "secret", true}, {"secret", "secret", "", false}} {
		r := &http.Request{Header: http.Header{}}
		if c.name != "" {
			r.SetBasicAuth(c.name, c.password)
		}
		if got := c.token.AllowsPerson(r); got != c.want || c.token != "" && c.token.Allows(r) {
			t.Errorf("token %q, %s:%s: %v", c.token, c.name, c.password, got)
		}
	}
	r := &http.Request{Header: http.Header{"Authorization": {"Bearer secret"}}}
	if !Token("secret").AllowsPerson(r) {
		t.Error("a bearer token is not enough")
	}
}
