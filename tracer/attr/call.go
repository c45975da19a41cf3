package attr

import (
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/ragtrace/ragtrace/stages"
)

// Head appends what is known of a recognised call before it is sent. dup adds older names.
func Head(attrs []attribute.KeyValue, f *stages.Facts, dup bool) []attribute.KeyValue {
	if f.Stage != "" {
		attrs = append(attrs,
			Stage.String(string(f.Stage)),
			InsideLLM.Bool(f.Stage.InsideLLM()),
			TimingSource.String(string(stages.Measured)),
			SpanKind.String(KindOf(f.Stage)))
	}
	attrs = append(attrs, PeerService.String(f.System))
	if database(f.Operation) {
		return append(attrs, semconv.DBSystemNameKey.String(f.System))
	}
	attrs = append(attrs, ProviderName.String(f.System))
	if dup {
		attrs = append(attrs, System.String(f.System))
	}
	switch f.Operation {
	case stages.OpLoad, stages.OpUnload:
		attrs = append(attrs, CallOperation.String(string(f.Operation)))
	default:
		attrs = append(attrs, OperationName.String(string(f.Operation)))
	}
	if f.Stage == stages.Rerank {
		attrs = append(attrs, ObservationType.String("span")) // else its model would make it a generation
	}
	return attrs
}

// Retract takes back what [Head] said of a call that turned out to be none of that API's. An attribute can be replaced, not
// removed; to readers an empty one is none.
func Retract(attrs []attribute.KeyValue, f *stages.Facts, dup bool) []attribute.KeyValue {
	n := len(attrs)
	attrs = Head(attrs, f, dup)
	for i := range attrs[n:] {
		said := &attrs[n+i].Value
		if said.Type() == attribute.BOOL {
			*said = attribute.BoolValue(false)
		} else {
			*said = attribute.StringValue("")
		}
	}
	return attrs
}

// Call appends what a call turned out to be, beyond what [Head] says. Absent facts give no attribute.
func Call(attrs []attribute.KeyValue, f *stages.Facts) []attribute.KeyValue {
	if f.API != stages.APIUnknown {
		switch {
		case database(f.Operation):
			attrs = db(attrs, f)
		case f.Stage == stages.LLM:
			attrs = llm(models(attrs, f), f)
		case f.Stage == stages.Embed:
			attrs = embed(models(attrs, f), f)
		case f.Stage == stages.Rerank:
			attrs = rerank(models(attrs, f), f)
		}
		attrs = figures(attrs, f)
		if f.Server != nil && f.API == stages.APIOllama {
			attrs = text(attrs, ServerVersion, f.Server.Version)
		}
	}
	attrs = gateway(attrs, &f.Gateway)
	if f.Status != stages.StatusOK {
		attrs = append(attrs, CallStatus.String(string(f.Status)))
	}
	if len(f.Flags) > 0 {
		attrs = append(attrs, Flags.StringSlice(f.Flags))
	}
	return attrs
}

func models(attrs []attribute.KeyValue, f *stages.Facts) []attribute.KeyValue {
	return text(text(attrs, RequestModel, f.Request.Model), ResponseModel, f.Model)
}

func embed(attrs []attribute.KeyValue, f *stages.Facts) []attribute.KeyValue {
	attrs = count(attrs, EmbedInputCount, f.Request.Inputs)
	attrs = count(attrs, UsageInputTokens, f.InputTokens)
	if f.Dimensions > 0 {
		attrs = append(attrs, EmbeddingsDimension.Int(f.Dimensions))
	}
	attrs = seconds(attrs, EmbedLoadDuration, f.Load)
	return seconds(attrs, EmbedServerDuration, f.Total)
}

func rerank(attrs []attribute.KeyValue, f *stages.Facts) []attribute.KeyValue {
	attrs = text(attrs, RerankerModel, model(f))
	attrs = count(attrs, RerankCandidateCount, f.Request.Documents)
	attrs = count(attrs, RerankTopN, f.Request.TopK)
	attrs = count(attrs, RerankerTopK, f.Request.TopK)
	attrs = count(attrs, RerankResultCount, f.Hits)
	attrs = count(attrs, UsageInputTokens, f.InputTokens)
	return seconds(attrs, RerankServerDuration, f.Total)
}

func db(attrs []attribute.KeyValue, f *stages.Facts) []attribute.KeyValue {
	attrs = append(attrs, semconv.DBOperationName(dbOperation(f)))
	attrs = text(attrs, semconv.DBCollectionNameKey, f.Request.Collection)
	if f.HTTPStatus >= 400 {
		attrs = append(attrs, semconv.DBResponseStatusCode(strconv.Itoa(f.HTTPStatus)))
	}
	if f.Stage == stages.Search {
		attrs = count(attrs, SearchTopK, f.Request.TopK)
		attrs = number(attrs, SearchScoreMax, f.ScoreMax)
		attrs = number(attrs, SearchScoreMin, f.ScoreMin)
		attrs = number(attrs, SearchDistanceMax, f.DistanceMax)
		attrs = number(attrs, SearchDistanceMin, f.DistanceMin)
		attrs = seconds(attrs, SearchServerDuration, f.Total)
	}
	if f.Async {
		attrs = append(attrs, SearchAsync.Bool(true))
	}
	return count(attrs, semconv.DBResponseReturnedRowsKey, f.Hits)
}

// figures are a server's own numbers that have no name here.
func figures(attrs []attribute.KeyValue, f *stages.Facts) []attribute.KeyValue {
	for _, t := range f.Other {
		attrs = seconds(attrs, attribute.Key(ServerFigure+t.Name+".duration"), t.Timing)
	}
	for _, n := range f.Figures {
		attrs = append(attrs, attribute.Float64(ServerFigure+n.Name, n.Value))
	}
	return attrs
}

// gateway is what a gateway said of its share. It makes no span: a reader that finds a gateway's span below a call takes
// the calls below that for the model server's time, and there are none here.
func gateway(attrs []attribute.KeyValue, g *stages.GatewayFacts) []attribute.KeyValue {
	attrs = text(attrs, GatewayUpstream, g.Upstream)
	if g.Retries.Known() {
		attrs = append(attrs, GatewayAttempt.Int64(g.Retries.N+1))
	}
	attrs = count(attrs, GatewayFallbacks, g.Fallbacks)
	attrs = seconds(attrs, GatewayOverhead, g.Overhead)
	for _, t := range g.Timings {
		attrs = seconds(attrs, attribute.Key(ServerFigure+t.Name+".duration"), t.Timing)
	}
	return attrs
}

// Absent facts are left out.

func text(attrs []attribute.KeyValue, k attribute.Key, s string) []attribute.KeyValue {
	if s == "" {
		return attrs
	}
	return append(attrs, k.String(s))
}

func count(attrs []attribute.KeyValue, k attribute.Key, c stages.Count) []attribute.KeyValue {
	if !c.Known() {
		return attrs
	}
	return append(attrs, k.Int64(c.N))
}

func number(attrs []attribute.KeyValue, k attribute.Key, n *float64) []attribute.KeyValue {
	if n == nil {
		return attrs
	}
	return append(attrs, k.Float64(*n))
}

func seconds(attrs []attribute.KeyValue, k attribute.Key, t stages.Timing) []attribute.KeyValue {
	if !t.Known() {
		return attrs
	}
	return append(attrs, k.Float64(t.D.Seconds()))
}
