package recognise

import "github.com/ragtrace/ragtrace/stages"

// doubt takes back what the path promised when neither the answer nor the request bears it out: an application may have
// an /api/chat of its own.
func (o *Observer) doubt() {
	f := &o.facts
	if o.reader == nil || f.Marks.Done.Known() || f.TokenEvents > 0 || f.Formed {
		return // the answer has what this API's answers have
	}
	otherAnswer := o.docs > 0 && !o.failed && f.Error == ""
	if !otherAnswer && (!o.request.whole || o.asked()) {
		return
	}
	o.reader = nil
	f.API, f.Operation, f.Stage, f.System = stages.APIUnknown, "", "", ""
}

// asked reports whether the request's body has what requests of the stage have.
func (o *Observer) asked() bool {
	r := &o.facts.Request
	switch o.facts.Stage {
	case stages.LLM, stages.Embed:
		return r.Model != "" || r.Messages > 0 || r.HasPrompt || r.Inputs.Known()
	case stages.Rerank:
		return r.HasQuery
	}
	return true
}
