//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
)

func TestTheLoadIsTheSameEveryTime(t *testing.T) {
	end := time.Unix(1764500000, 0)
	l := &load{questions: 81, end: end}
	ids, spans := map[string]bool{}, 0
	for n := 0; ; n++ {
		request := l.request(n)
		if diff := cmp.Diff(request, (&load{questions: 81, end: end}).request(n), protocmp.Transform()); diff != "" {
			t.Fatalf("request %d differs:\n%s", n, diff)
		}
		if request == nil {
			break
		}
		for _, s := range request.ResourceSpans[0].ScopeSpans[0].Spans {
			ids[string(s.TraceId)+string(s.SpanId)] = true
			if s.StartTimeUnixNano >= s.EndTimeUnixNano || s.EndTimeUnixNano > uint64(end.Add(10*time.Second).UnixNano()) {
				t.Errorf("%s is from %d to %d", s.Name, s.StartTimeUnixNano, s.EndTimeUnixNano)
			}
			spans++
		}
	}
	if spans != 81*spansPerQuestion || len(ids) != spans {
		t.Errorf("%d spans with %d ids, want %d", spans, len(ids), 81*spansPerQuestion)
	}
	if size := proto.Size(l.request(0)); size < 480*200 || size > 480*1000 {
		t.Errorf("a request of 480 spans is %d bytes", size)
	}
}

func TestPercentile(t *testing.T) {
	ms := func(values ...int) (all []time.Duration) {
		for _, v := range values {
			all = append(all, time.Duration(v)*time.Millisecond)
		}
		return all
	}
	for _, c := range []struct {
		values []time.Duration
		p      int
		want   float64
	}{
		{ms(7), 50, 7}, {ms(3, 1, 2), 50, 2}, {ms(4, 3, 2, 1), 50, 2}, {ms(1, 2, 3, 4), 95, 4}, {ms(10, 20, 30, 40, 50, 60, 70, 80, 90, 100), 90, 90},
	} {
		if got := percentile(c.values, c.p); got != c.want {
			t.Errorf("percentile(%v, %d) = %v, want %v", c.values, c.p, got, c.want)
		}
	}
}

func TestTable(t *testing.T) {
	s := &series{Spans: 4800, Rounds: 3, Peers: []string{"ragtrace", "jaeger"}, Figures: map[string][]figures{
		"ragtrace": {{SpansPerCPUSecond: 30000, AckP50: 1.5}, {SpansPerCPUSecond: 32000, AckP50: 2}, {SpansPerCPUSecond: 28000, AckP50: 0.25}},
		"jaeger":   {{SpansPerCPUSecond: 10000, DiskPerSpan: 512}, {SpansPerCPUSecond: 8000, Lost: 2}, {SpansPerCPUSecond: 7000}},
	}}
	var out bytes.Buffer
	if err := writeTable(&out, s); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"4800 spans in 400 questions, requests of 480, 3 rounds\n",
		"spans per CPU-second              30000     8000\n",
		"acknowledgement p50, ms           1.50      -\n",
		"spans per CPU-second              4.00x (3.00-4.00)\n", // 3, 4 and 4
		"disk, bytes a span                -\n",
		"jaeger lost 2 questions in round 2\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	for line := range strings.Lines(out.String()) {
		if len(line) > 100 {
			t.Errorf("a line of %d columns: %s", len(line), line)
		}
	}
}

// measureSmall runs a small benchmark and checks that everything was measured and nothing lost.
func measureSmall(t *testing.T, jaeger string, peers ...string) {
	var out, progress bytes.Buffer
	if err := run(t.Context(), []string{"--spans", "2400", "--rounds", "1", "--json", "--jaeger", jaeger}, &out, &progress); err != nil {
		t.Fatalf("%v\n%s", err, &progress)
	}
	var result struct{ Series []series }
	if err := json.Unmarshal(out.Bytes(), &result); err != nil {
		t.Fatal(err)
	}
	s := result.Series[0]
	if diff := cmp.Diff(peers, s.Peers); diff != "" {
		t.Fatalf("peers (-want +got):\n%s", diff)
	}
	for _, name := range peers {
		f := s.Figures[name][0]
		if f.Lost != 0 {
			t.Errorf("%s lost %d questions", name, f.Lost)
		}
		if f.DiskPerSpan == 0 && name == "jaeger memory" {
			f.DiskPerSpan = 1
		}
		for _, m := range measures {
			if m.of(f) <= 0 {
				t.Errorf("%s: %s is %v", name, m.name, m.of(f))
			}
		}
	}
}

func TestAProgramIsNamedFromWhereOneStands(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("program", []byte("#!/bin/sh\necho here\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	p, err := startProcess(t.TempDir(), nil, "./program")
	if err != nil {
		t.Fatal(err)
	}
	<-p.exited
	if log, err := os.ReadFile(p.log); string(log) != "here\n" || err != nil {
		t.Errorf("it wrote %q, error %v", log, err)
	}
}

func TestBench(t *testing.T) {
	measureSmall(t, t.TempDir()+"/none", "ragtrace")
}

func TestBenchWithJaeger(t *testing.T) {
	jaeger := os.Getenv("RAGTRACE_TEST_JAEGER")
	if jaeger == "" {
		t.Skip("RAGTRACE_TEST_JAEGER is not set: it is the path of the real server's binary, which .ci/peers builds")
	}
	measureSmall(t, jaeger, "ragtrace", "jaeger badger", "jaeger memory")
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"--spans", "3"}, {"--rounds", "0"}, {"more"}, {"--nonsense"}} {
		if err := run(t.Context(), args, &bytes.Buffer{}, &bytes.Buffer{}); err == nil {
			t.Errorf("%v is taken", args)
		}
	}
}
