package diagnose

import (
	"slices"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// sessionKeys name the session, the preferred ones first: OpenTelemetry, OpenInference, OpenLLMetry, Langfuse, LangWatch.
var sessionKeys = []string{
	"gen_ai.conversation.id", "session.id", "traceloop.association.properties.session_id", "langfuse.session.id",
	"langwatch.thread.id",
}

// pipelineKeys name the pipeline on a root, the newest first.
var pipelineKeys = []string{"gen_ai.agent.name", "gen_ai.workflow.name", "traceloop.workflow.name"}

// firstString is the first of the keys that holds a non-empty string.
func firstString(a model.Attrs, keys []string) string {
	for _, key := range keys {
		if s := a.String(key); s != "" {
			return s
		}
	}
	return ""
}

// firstCount is the first of the keys that holds a whole number from 0; -1 when none does.
func firstCount(a model.Attrs, keys []string) int64 {
	for _, key := range keys {
		if n, ok := a.Int(key); ok && n >= 0 {
			return n
		}
	}
	return -1
}

func sessionOf(s *model.Span) string { return firstString(s.Attrs, sessionKeys) }

// numberOf is the question number that a span carries, or 0.
func numberOf(s *model.Span) int {
	if n, ok := s.Attrs.Int("ragtrace.question.number"); ok && n > 0 {
		return int(n)
	}
	return 0
}

func pipelineOf(root *model.Span) string {
	if name := firstString(root.Attrs, pipelineKeys); name != "" {
		return name
	}
	return root.Name
}

// A service is a process that made spans.
type service struct{ name, instance string }

func serviceOf(s *model.Span) service {
	if s.Resource == nil {
		return service{}
	}
	return service{s.Resource.Service(), s.Resource.Instance()}
}

// identify fills in the question's session and, where it has none yet, its number: the root's, else those of the first
// member that has them.
func (q *Question) identify(root *model.Span, members []*model.Span) {
	if root != nil {
		q.Session, q.Number = sessionOf(root), numberOf(root)
	}
	if q.Session != "" && q.Number != 0 {
		return
	}
	slices.SortFunc(members, firstSpan)
	for _, s := range members {
		if q.Session == "" {
			q.Session = sessionOf(s)
		}
		if q.Number == 0 {
			q.Number = numberOf(s)
		}
	}
}
