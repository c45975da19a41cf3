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
	if t == "" {
		return true
	}
	scheme, shown, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	want, got := sha256.Sum256([]byte(t)), sha256.Sum256([]byte(shown))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(want[:], got[:]) == 1
}

// Challenge tells a caller over HTTP that it must show a token: the header that belongs to status 401.
func Challenge(h http.Header) { h.Set("WWW-Authenticate", `Bearer realm="ragtrace"`) }
