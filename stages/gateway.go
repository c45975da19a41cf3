package stages

// GatewayFacts are what gateways on the way, or anyone else who writes such headers, said of an exchange in the head or the
// trailer of its answer. The zero value says nothing.
type GatewayFacts struct {
	Upstream  string        // where a gateway sent the request: scheme and host
	Retries   Count         // attempts after the first
	Fallbacks Count         // other models that were tried
	Overhead  Timing        // the gateway's own time, before it passed the request on
	Timings   []NamedTiming // every figure, as "who.what": litellm.response, envoy.upstream_ttfb, server_timing.db
}

// GatewayPhases are the stretches of f's time that a gateway says were its own, inside the exchange: at its start.
func (f *Facts) GatewayPhases() []Phase {
	own, end := f.Gateway.Overhead, f.Marks.End
	if !own.Known() || !end.Known() || min(own.D, end.D) < negligible {
		return nil
	}
	return []Phase{{Name: PhaseGateway, Stage: Gateway, End: min(own.D, end.D), Source: own.Source}}
}
