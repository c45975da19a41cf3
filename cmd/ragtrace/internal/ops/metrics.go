package ops

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
)

// Metrics writes all figures: for GET /metrics.
func (o *Ops) Metrics(w http.ResponseWriter, r *http.Request) {
	var p page
	if err := o.write(r.Context(), &p); err != nil {
		o.log.Error("metrics not told", "err", err)
		http.Error(w, "the store cannot be read; the log says why", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Write(p.Bytes())
}

func (o *Ops) write(ctx context.Context, p *page) error {
	c := o.server.Counts()
	p.head("ragtrace_spans_accepted_total", "counter", "Spans that were stored; one that came twice counts twice.")
	p.value("ragtrace_spans_accepted_total", "", c.Spans)
	p.head("ragtrace_spans_refused_total", "counter", "Spans that cannot be kept, by the reason.")
	for _, reason := range slices.Sorted(maps.Keys(c.Reasons)) {
		p.value("ragtrace_spans_refused_total", label("reason", reason), c.Reasons[reason])
	}
	p.head("ragtrace_requests_total", "counter", "Requests by what became of them. Those that were not stored, or told to wait, "+
		"are the sender's to send again: nothing that was acknowledged is dropped.")
	for _, outcome := range []struct {
		name string
		n    int64
	}{
		{"accepted", c.Requests}, {"unreadable", c.Bad}, {"told_to_wait", c.Busy}, {"unauthorized", c.Unauthorized}, {"not_stored", c.Failed},
	} {
		p.value("ragtrace_requests_total", label("outcome", outcome.name), outcome.n)
	}
	p.head("ragtrace_queue_requests", "gauge", "Requests that wait to be stored.")
	p.value("ragtrace_queue_requests", "", int64(o.store.Queued()))
	p.head("ragtrace_receiving_bytes", "gauge", "Memory held by requests that are being received or wait to be stored.")
	p.value("ragtrace_receiving_bytes", "", o.server.Receiving())
	p.commits(o.store.Commits())

	behind, err := o.store.Behind(ctx)
	if err != nil {
		return err
	}
	p.head("ragtrace_traces_behind", "gauge", "Traces whose questions are not written yet; who reads them meanwhile makes them of the spans.")
	p.value("ragtrace_traces_behind", "", behind)
	file, log, err := o.store.Size()
	if err != nil {
		return err
	}
	p.head("ragtrace_store_bytes", "gauge", "Size of the store on disk.")
	p.value("ragtrace_store_bytes", label("part", "file"), file)
	p.value("ragtrace_store_bytes", label("part", "log"), log)
	return nil
}

// A page is metrics in the text format:
// https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
type page struct{ bytes.Buffer }

func (p *page) head(name, kind, help string) {
	fmt.Fprintf(p, "# HELP %s %s\n# TYPE %[1]s %[3]s\n", name, help, kind)
}

func (p *page) value(name, labels string, n int64) { fmt.Fprintf(p, "%s%s %d\n", name, labels, n) }

func label(name, value string) string {
	return fmt.Sprintf("{%s=\"%s\"}", name, strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(value))
}

func (p *page) commits(c store.Commits) {
	const name = "ragtrace_commit_duration_seconds"
	p.head(name, "histogram", "How long commits of spans took.")
	n := int64(0)
	for i, count := range c.Counts {
		n += count
		bound := "+Inf"
		if i < len(store.CommitBuckets) {
			bound = fmt.Sprint(store.CommitBuckets[i].Seconds())
		}
		p.value(name+"_bucket", label("le", bound), n)
	}
	fmt.Fprintf(p, "%s_sum %g\n", name, c.Sum.Seconds())
	p.value(name+"_count", "", n)
	p.head("ragtrace_commits_failed_total", "counter", "Commits of spans that failed.")
	p.value("ragtrace_commits_failed_total", "", c.Failed)
}
