// Package everyfield fills structs for tests that nothing of them is lost: a field that is not written is seen to be missing.
//
// It imports the standard library only.
package everyfield

import "reflect"

// Set sets every field of the struct that v points to, however deep, to something that is not zero, counting n up.
func Set(v any, n *int64) { set(reflect.ValueOf(v).Elem(), n) }

func set(v reflect.Value, n *int64) {
	*n++
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			set(v.Field(i), n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			set(v.Index(i), n)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		set(v.Elem(), n)
	case reflect.String:
		v.SetString(string(rune('a' + *n%26)))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(*n)
	case reflect.Uint8, reflect.Uint32:
		v.SetUint(uint64(*n))
	default:
		panic("everyfield: " + v.Kind().String())
	}
}
