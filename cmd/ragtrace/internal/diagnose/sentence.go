package diagnose

func (j *judge) sentence(v *Verdict) string { return "" }
