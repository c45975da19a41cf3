package stages

import "maps"

// MaxFormats is how many models of one server are remembered.
const MaxFormats = 256

// A Server is what is known of a server beyond one exchange, because it was asked. It does not change once it is made.
type Server struct {
	Version string            // Ollama's /api/version; "" when unknown
	Formats map[string]string // of the weights, by the model's name with its tag: gguf, safetensors
}

// Merge is what is known of a server once it has told something new. s may be nil.
func (s *Server) Merge(told *Server) *Server {
	if s == nil {
		return told
	}
	m := Server{Version: s.Version, Formats: s.Formats}
	if told.Version != "" {
		m.Version = told.Version
	}
	if len(told.Formats) > 0 {
		m.Formats = maps.Clone(told.Formats)
		for model, format := range s.Formats {
			if _, ok := m.Formats[model]; !ok && len(m.Formats) < MaxFormats {
				m.Formats[model] = format
			}
		}
	}
	return &m
}
