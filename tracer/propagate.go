package tracer

import (
	"context"
	"net/http"
	"net/netip"
	"strings"

	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/propagation"

	"github.com/ragtrace/ragtrace/tracer/attr"
)

const baggageHeader = "Baggage"

// inject writes trace context into h, and the question's session and number as baggage when host is not public.
func inject(ctx context.Context, p propagation.TextMapPropagator, id *identity, host string, h http.Header) {
	// A caller's baggage would carry them anywhere.
	if b := baggage.FromContext(ctx); b.Len() > 0 {
		b = b.DeleteMember(string(attr.SessionID)).DeleteMember(string(attr.QuestionNumber))
		ctx = baggage.ContextWithBaggage(ctx, b)
	}
	p.Inject(ctx, propagation.HeaderCarrier(h))
	if id == nil || public(host) {
		return
	}
	if own := id.header(); own != nil {
		if other := h.Get(baggageHeader); other != "" {
			own = []string{other + "," + own[0]}
		}
		h[baggageHeader] = own
	}
}

// public reports whether host may be anybody's: unless it is a loopback, private or link-local address, a single-label
// name, or below a domain that no public name is in.
func public(host string) bool {
	host = strings.TrimSuffix(host, ".")
	if strings.Contains(host, ":") || host != "" && host[len(host)-1] >= '0' && host[len(host)-1] <= '9' {
		if a, err := netip.ParseAddr(host); err == nil {
			a = a.Unmap()
			return !a.IsLoopback() && !a.IsPrivate() && !a.IsLinkLocalUnicast()
		}
	}
	if !strings.Contains(host, ".") {
		return false
	}
	for _, domain := range [...]string{".local", ".internal", ".localhost", ".svc"} {
		if len(host) > len(domain) && strings.EqualFold(host[len(host)-len(domain):], domain) {
			return false
		}
	}
	return true
}
