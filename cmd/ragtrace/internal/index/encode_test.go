package index

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/everyfield"
	"pgregory.net/rapid"
)

func roundTrip(t interface{ Fatal(...any) }, q diagnose.Question) diagnose.Question {
	var back diagnose.Question
	if err := newDecoder().question(encode(&q), &back); err != nil {
		t.Fatal(err)
	}
	return back
}

func TestEveryFieldIsKept(t *testing.T) {
	var q diagnose.Question
	n := int64(0)
	everyfield.Set(&q, &n)
	if diff := cmp.Diff(q, roundTrip(t, q)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(diagnose.Question{}, roundTrip(t, diagnose.Question{})); diff != "" {
		t.Error(diff)
	}
}

func TestAnyNumberIsKept(t *testing.T) {
	numbers := rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{0, -1, math.MaxInt64, math.MinInt64}))
	rapid.Check(t, func(t *rapid.T) {
		q := diagnose.Question{
			Start: numbers.Draw(t, "start"), End: numbers.Draw(t, "end"), Number: int(numbers.Draw(t, "number")),
			Session: rapid.String().Draw(t, "session"), Stages: rapid.Uint32().Draw(t, "stages"),
			Flags: rapid.SliceOf(rapid.String()).Draw(t, "flags"),
			Calls: []diagnose.Call{{
				Start: numbers.Draw(t, "call start"), End: numbers.Draw(t, "call end"), Input: numbers.Draw(t, "input"),
				LoadStart: numbers.Draw(t, "load start"), LoadEnd: numbers.Draw(t, "load end"), NumCtx: numbers.Draw(t, "num_ctx"),
			}},
		}
		if diff := cmp.Diff(q, roundTrip(t, q)); diff != "" {
			t.Error(diff)
		}
	})
}

func FuzzDecode(f *testing.F) {
	var q diagnose.Question
	n := int64(0)
	everyfield.Set(&q, &n)
	for _, q := range []*diagnose.Question{&q, {}} {
		content, _ := unseal(encode(q))
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var q diagnose.Question
		if newDecoder().question(seal(b), &q) != nil { // without a checksum that is right, nothing else is looked at
			return
		}
		if diff := cmp.Diff(q, roundTrip(t, q)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAFlippedBitIsSeen(t *testing.T) {
	q := diagnose.Question{Session: "a", Start: 5, End: 9}
	good := encode(&q)
	for i := range 8 * len(good) {
		bad := slices.Clone(good)
		bad[i/8] ^= 1 << (i % 8)
		if err := newDecoder().question(bad, &q); !errors.Is(err, errQuestion) {
			t.Fatalf("bit %d: %v", i, err)
		}
	}
}
