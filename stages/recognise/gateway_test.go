package recognise

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/ragtrace/ragtrace/stages"
)

// What gateways say counts whatever the exchange was, in the head and in the trailer, until it is over.
func TestGatewaysShare(t *testing.T) {
	const ms = time.Millisecond
	o := New(stages.Request{Method: http.MethodGet, URL: &url.URL{Path: "/anything"}})
	o.Response(20*ms, http.StatusOK, http.Header{"X-Litellm-Overhead-Duration-Ms": {"12"}})
	o.ResponseBody(30*ms, []byte("x"))
	o.Trailer(http.Header{"Server-Timing": {"db;dur=7"}})
	o.End(40*ms, stages.EndedEOF, nil)
	o.Trailer(http.Header{"Server-Timing": {"late;dur=7"}})

	f := o.Facts()
	if n := len(f.Gateway.Timings); n != 2 || f.Gateway.Timings[1].Name != "server_timing.db" {
		t.Errorf("timings %+v, want litellm.overhead and server_timing.db", f.Gateway.Timings)
	}
	if p := f.GatewayPhases(); len(p) != 1 || p[0].Start != 0 || p[0].End != 12*ms || p[0].Stage != stages.Gateway {
		t.Errorf("phases %+v, want gateway.overhead from 0 to 12 ms", p)
	}
}

// A gateway cannot have taken longer than the exchange.
func TestGatewaysShareIsInside(t *testing.T) {
	o := New(stages.Request{Method: http.MethodGet, URL: &url.URL{Path: "/"}})
	o.Response(time.Millisecond, http.StatusOK, http.Header{"X-Litellm-Overhead-Duration-Ms": {"5000"}})
	o.End(2*time.Millisecond, stages.EndedEOF, nil)
	if p := o.Facts().GatewayPhases(); len(p) != 1 || p[0].End != 2*time.Millisecond {
		t.Errorf("phases %+v, want one that ends with the exchange", p)
	}
}
