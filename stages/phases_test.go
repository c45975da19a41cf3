package stages

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// reported is a server's figure in milliseconds; 0 is absent.
func reported(millis float64) Timing {
	if millis == 0 {
		return Timing{}
	}
	return Timing{time.Duration(millis * float64(ms)), Reported}
}

func at(millis float64) Timing { return Timing{time.Duration(millis * float64(ms)), Measured} }

// answer is an ok LLM call that was sent at 1 ms and done at 101.
func answer(change func(f *Facts)) *Facts {
	f := &Facts{Stage: LLM, Operation: OpChat, Status: StatusOK}
	f.Marks = Marks{WroteHeaders: at(1), WroteRequest: at(1), Head: at(50), Done: at(101), End: at(102)}
	change(f)
	return f
}

type span struct {
	Name       string
	Start, End float64
}

func drawn(f *Facts) []span {
	var out []span
	for _, p := range f.Phases() {
		out = append(out, span{p.Name, float64(p.Start) / 1e6, float64(p.End) / 1e6})
	}
	return out
}

func TestPhases(t *testing.T) {
	for _, tt := range []struct {
		name  string
		facts *Facts
		want  []span
		flags []string
	}{
		{"nothing reported", answer(func(f *Facts) {}), nil, nil},
		{"all reported, not streamed", answer(func(f *Facts) {
			f.Total, f.Load, f.Prefill, f.Decode = reported(98), reported(3), reported(20), reported(60)
		}), []span{{"llm.load", 1, 4}, {"llm.queue", 4, 19}, {"llm.prefill", 19, 39}, {"llm.decode", 39, 99}}, nil},
		{"a remainder within 3 % of decode is no queue", answer(func(f *Facts) {
			f.Total, f.Load, f.Prefill, f.Decode = reported(98), reported(3), reported(20), reported(73)
		}), []span{{"llm.load", 1, 4}, {"llm.prefill", 4, 24}, {"llm.decode", 24, 99}}, nil},
		{"decode starts with the server's first token", answer(func(f *Facts) {
			f.Total, f.Load, f.Prefill, f.Decode = reported(98), reported(3), reported(20), reported(50)
			f.ServerFirstToDone = reported(60)
		}), []span{{"llm.load", 1, 4}, {"llm.queue", 4, 19}, {"llm.prefill", 19, 39}, {"llm.decode", 39, 99}}, nil},
		{"but not with a first line that was stamped late", answer(func(f *Facts) {
			f.Total, f.Load, f.Prefill, f.Decode = reported(98), reported(3), reported(20), reported(60)
			f.ServerFirstToDone = reported(55)
		}), []span{{"llm.load", 1, 4}, {"llm.queue", 4, 19}, {"llm.prefill", 19, 39}, {"llm.decode", 39, 99}}, nil},
		{"nor before prefill can be over", answer(func(f *Facts) {
			f.Total, f.Load, f.Prefill, f.Decode = reported(98), reported(3), reported(50), reported(40)
			f.ServerFirstToDone = reported(90)
		}), []span{{"llm.load", 1, 4}, {"llm.prefill", 4, 54}, {"llm.decode", 54, 99}}, nil},
		{"stamps longer than the total mean nothing", answer(func(f *Facts) {
			f.Total, f.Load, f.Prefill, f.Decode = reported(98), reported(3), reported(20), reported(60)
			f.ServerFirstToDone = reported(99)
		}), []span{{"llm.load", 1, 4}, {"llm.queue", 4, 19}, {"llm.prefill", 19, 39}, {"llm.decode", 39, 99}}, nil},
		{"total only", answer(func(f *Facts) { f.Total = reported(98) }), []span{{"llm.unattributed", 1, 99}}, nil},
		{"no prefill", answer(func(f *Facts) { f.Total, f.Load, f.Decode = reported(98), reported(3), reported(60) }),
			[]span{{"llm.load", 1, 4}, {"llm.unattributed", 4, 39}, {"llm.decode", 39, 99}}, nil},
		{"one token, not streamed", answer(func(f *Facts) { f.Total, f.Load, f.Prefill = reported(98), reported(3), reported(60) }),
			[]span{{"llm.load", 1, 4}, {"llm.queue", 4, 39}, {"llm.prefill", 39, 99}}, nil},
		{"the server's total ends after the answer came", answer(func(f *Facts) {
			f.Total, f.Load, f.Prefill, f.Decode = reported(100.5), reported(10.5), reported(40), reported(50)
		}), []span{{"llm.load", .5, 11}, {"llm.prefill", 11, 51}, {"llm.decode", 51, 101}}, nil},
		{"the total is longer than the client's", answer(func(f *Facts) {
			f.Total, f.Load, f.Prefill, f.Decode = reported(150), reported(50), reported(40), reported(10)
		}), []span{{"llm.load", 1, 51}, {"llm.prefill", 51, 91}, {"llm.decode", 91, 101}}, []string{FlagTotalExceedsClient}},
		{"and so is the load alone", answer(func(f *Facts) {
			f.Total, f.Load, f.Prefill, f.Decode = reported(500), reported(200), reported(40), reported(10)
		}), []span{{"llm.load", 1, 101}}, []string{FlagSumExceedsTotal, FlagTotalExceedsClient}},
		{"a stall inside decode", answer(func(f *Facts) {
			f.Marks.Done, f.Marks.End = at(501), at(501)
			f.Total, f.Load, f.Prefill, f.Decode = reported(500), reported(10), reported(40), reported(150)
			f.ServerFirstToDone = reported(400)
		}), []span{{"llm.load", 1, 11}, {"llm.queue", 11, 61}, {"llm.prefill", 61, 101}, {"llm.decode", 101, 251}, {"llm.decode.stall", 251, 501}},
			[]string{FlagDecodeStall}},
		{"figures of a server behind the server", answer(func(f *Facts) { f.Total, f.Remote = reported(60), true }),
			[]span{{"llm.unattributed", 41, 101}}, nil},
		{"a saved body, whose sending nobody saw", answer(func(f *Facts) {
			f.Marks = Marks{Head: at(0), Done: at(0), End: at(0)}
			f.Total, f.Load, f.Prefill, f.Decode = reported(100), reported(10), reported(30), reported(60)
		}), []span{{"llm.load", 0, 10}, {"llm.prefill", 10, 40}, {"llm.decode", 40, 100}}, nil},
		{"a failed answer has none", answer(func(f *Facts) { f.Status, f.Total = StatusError, reported(50) }), nil, nil},

		{"embedding", answer(func(f *Facts) { f.Stage, f.Total, f.Load = Embed, reported(98), reported(90) }),
			[]span{{"embed.load", 1, 91}, {"embed.compute", 91, 99}}, nil},
		{"embedding without a load", answer(func(f *Facts) { f.Stage, f.Total = Embed, reported(98) }), []span{{"embed.server", 1, 99}}, nil},
		{"a call that only loads", answer(func(f *Facts) { f.Operation = OpLoad }), []span{{"llm.load", 1, 101}}, nil},
		{"a call that unloads", answer(func(f *Facts) { f.Operation = OpUnload }), nil, nil},

		{"prefill and decode only", answer(func(f *Facts) { f.Prefill, f.Decode = reported(30), reported(50) }),
			[]span{{"llm.queue", 1, 21}, {"llm.prefill", 21, 51}, {"llm.decode", 51, 101}}, nil},
		{"the same with a first token", answer(func(f *Facts) {
			f.Prefill, f.Decode, f.Marks.FirstToken = reported(30), reported(40), at(51)
		}), []span{{"llm.queue", 1, 21}, {"llm.prefill", 21, 51}, {"llm.decode", 51, 101}}, nil},
		{"more of both than there was time", answer(func(f *Facts) { f.Prefill, f.Decode = reported(300), reported(50) }),
			[]span{{"llm.prefill", 1, 51}, {"llm.decode", 51, 101}}, []string{FlagTotalExceedsClient}},
		{"its own queue", answer(func(f *Facts) { f.Queue, f.Prefill, f.Decode = reported(10), reported(30), reported(50) }),
			[]span{{"llm.queue", 1, 11}, {"llm.prefill", 11, 41}, {"llm.decode", 41, 91}}, nil},

		{"embedding by a server with figures for generation", answer(func(f *Facts) {
			f.Stage, f.Queue, f.Prefill, f.Decode = Embed, reported(10), reported(30), reported(50)
		}), nil, nil},
		{"the same with its total", answer(func(f *Facts) {
			f.Stage, f.Total, f.Queue, f.Prefill = Embed, reported(98), reported(10), reported(30)
		}), []span{{"embed.server", 1, 99}}, nil},
		{"a write to a store", answer(func(f *Facts) { f.Stage, f.Operation, f.Total = "", OpUpsert, reported(4) }), nil, nil},
		{"a write that the store says took longer than the call", answer(func(f *Facts) {
			f.Stage, f.Operation, f.Total = "", OpUpsert, reported(400)
		}), nil, nil},

		{"a search", answer(func(f *Facts) { f.Stage, f.Total = Search, reported(4) }), []span{{"search.server", 1, 5}}, nil},
		{"a rerank that fills the wait", answer(func(f *Facts) { f.Stage, f.Total = Rerank, reported(49.5) }),
			[]span{{"rerank.server", .5, 50}}, nil},
		{"a server that answers before it is done", answer(func(f *Facts) { f.Stage, f.Total = Search, reported(200) }),
			[]span{{"search.server", 0, 102}}, []string{FlagTotalExceedsClient}},
		{"phases that the API places", answer(func(f *Facts) {
			f.Placed = []Phase{{"llm.load", LLMLoad, 5 * ms, 20 * ms, Measured}, {"llm.prefill", LLMPrefill, 15 * ms, 40 * ms, Measured},
				{"llm.decode", LLMDecode, 40 * ms, 400 * ms, Measured}}
		}), []span{{"llm.load", 5, 20}, {"llm.prefill", 20, 40}, {"llm.decode", 40, 101}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, drawn(tt.facts)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.flags, tt.facts.Flags); diff != "" {
				t.Errorf("flags (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, drawn(tt.facts)); diff != "" {
				t.Errorf("a second time (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPhasesStayInOrder draws any figures at all: phases are in order, inside the exchange, parts of its stage, and each has
// a length.
func TestPhasesStayInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := func(name string) Timing {
			return reported(rapid.SampledFrom([]float64{0, .0001, 1, 40, 99, 400}).Draw(t, name))
		}
		f := answer(func(f *Facts) {
			f.Stage = rapid.SampledFrom([]Stage{"", LLM, Embed, Search, Rerank}).Draw(t, "stage")
			f.Total, f.Load, f.Queue = length("total"), length("load"), length("queue")
			f.Prefill, f.Decode, f.ServerFirstToDone = length("prefill"), length("decode"), length("stamps")
			f.Remote = rapid.Bool().Draw(t, "remote")
			if rapid.Bool().Draw(t, "streamed") {
				f.Marks.FirstToken = at(rapid.Float64Range(1, 101).Draw(t, "first"))
			}
		})
		var before time.Duration
		for _, p := range f.Phases() {
			if p.Start < before || p.End-p.Start < negligible || p.End > f.Marks.End.D {
				t.Fatalf("%s from %v to %v, after %v", p.Name, p.Start, p.End, before)
			}
			if !strings.HasPrefix(string(p.Stage), string(f.Stage)+".") {
				t.Fatalf("a call of stage %q has a phase of %s", f.Stage, p.Stage)
			}
			before = p.End
		}
		m := f.Metrics()
		if m.Queue.D < 0 || m.DecodeResidual.D < 0 || m.TPOT.D < 0 || m.TTFTServer.D < 0 {
			t.Fatalf("negative figures: %+v", m)
		}
	})
}
