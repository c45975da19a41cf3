// Package bearer checks the token that lets somebody in. It imports the standard library only.
package bearer

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
)

// A Token is what callers must show as "Authorization: Bearer ..."; with the empty one everybody is let in.
type Token string

// Allows reports whether a request shows the token. How long that takes tells nothing of the token.
func (t Token) Allows(r *http.Request) bool {
	scheme, shown, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return t == "" || strings.EqualFold(scheme, "Bearer") && t.is(shown)
}

// AllowsPerson is Allows for requests that a browser may send: it asks its user for a name and a password, and the password
// is to be the token.
func (t Token) AllowsPerson(r *http.Request) bool {
	_, password, _ := r.BasicAuth()
	return t.Allows(r) || t.is(password)
}

func (t Token) is(shown string) bool {
	want, got := sha256.Sum256([]byte(t)), sha256.Sum256([]byte(shown))
	return subtle.ConstantTimeCompare(want[:], got[:]) == 1
}

// Challenge tells a caller over HTTP that it must show a token: the header that belongs to status 401.
func Challenge(h http.Header) { h.Set("WWW-Authenticate", `Bearer realm="ragtrace"`) }

// ChallengePerson is Challenge for browsers.
func ChallengePerson(h http.Header) {
	h.Set("WWW-Authenticate", `Basic realm="ragtrace: any name, and the token as the password"`)
}
