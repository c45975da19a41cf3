package index

import (
	"math"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"pgregory.net/rapid"
)

// fill sets every field of a struct, however deep, to something that is not zero: a field that is not written would be
// seen to be missing.
func fill(v reflect.Value, n *int64) {
	*n++
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.String:
		v.SetString(string(rune('a' + *n%26)))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(*n)
	case reflect.Uint8, reflect.Uint32:
		v.SetUint(uint64(*n))
	default:
		panic(v.Kind())
	}
}

func roundTrip(t interface{ Fatal(...any) }, q diagnose.Question) diagnose.Question {
	var back diagnose.Question
	if err := newDecoder().question(encode(nil, &q), &back); err != nil {
		t.Fatal(err)
	}
	return back
}

func TestEveryFieldIsKept(t *testing.T) {
	var q diagnose.Question
	n := int64(0)
	fill(reflect.ValueOf(&q).Elem(), &n)
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
	fill(reflect.ValueOf(&q).Elem(), &n)
	f.Add(encode(nil, &q))
	f.Add(encode(nil, &diagnose.Question{}))
	f.Fuzz(func(t *testing.T, b []byte) {
		var q diagnose.Question
		if newDecoder().question(b, &q) != nil {
			return
		}
		if diff := cmp.Diff(q, roundTrip(t, q)); diff != "" {
			t.Error(diff)
		}
	})
}
