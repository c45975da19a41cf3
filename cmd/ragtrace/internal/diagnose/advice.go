package diagnose

func (j *judge) advice(cause string) string { return "" }
