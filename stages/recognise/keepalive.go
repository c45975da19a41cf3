package recognise

import (
	"time"

	"github.com/ragtrace/ragtrace/stages/stream"
)

// keepAlive reads Ollama's keep_alive as its api.Duration does (api/types.go, UnmarshalJSON): a number is seconds, a text
// is a duration with units, anything negative is for ever. Text that is no duration is refused by the server: absent.
func keepAlive(v stream.Value) *time.Duration {
	const forever = -time.Second
	var d time.Duration
	if v.Kind == stream.String {
		var err error
		if d, err = time.ParseDuration(v.String()); err != nil {
			return nil
		}
	} else {
		s, ok := v.Float()
		if !ok {
			return nil
		}
		const most = 9e9 // about the longest that a Duration holds
		d = time.Duration(min(max(s, -1), most) * float64(time.Second))
	}
	if d < 0 {
		d = forever
	}
	return &d
}
