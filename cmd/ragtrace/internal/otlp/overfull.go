package otlp

// Overfull reports whether spans were refused because a request had too many of them, so that it helps to ask for less.
func (b *Batch) Overfull() bool { return b.Refused[errSpans.Error()] > 0 }
