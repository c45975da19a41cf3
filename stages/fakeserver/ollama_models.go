package fakeserver

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"time"
)

type modelDetails struct {
	ParentModel       string   `json:"parent_model"`
	Format            string   `json:"format"`
	Family            string   `json:"family"`
	Families          []string `json:"families"`
	ParameterSize     string   `json:"parameter_size"`
	QuantizationLevel string   `json:"quantization_level"`
}

func (m *Model) details() modelDetails {
	d := modelDetails{Format: "gguf", Family: "llama", Families: []string{"llama"}, ParameterSize: "3.2B", QuantizationLevel: "Q4_K_M"}
	if m.Kind == Embed {
		d.Family, d.Families, d.ParameterSize, d.QuantizationLevel = "nomic-bert", []string{"nomic-bert"}, "137M", "F16"
	}
	return d
}

// size is the model's size in bytes.
func (m *Model) size() int64 {
	if m.Kind == Embed {
		return 274302450
	}
	return 2019393189
}

// digest makes a steady identifier of a name.
func digest(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])
}

func (x *exchange) version() {
	x.json(http.StatusOK, jsonType, encode(struct {
		Version string `json:"version"`
	}{x.config.Version}))
}

type tag struct {
	Name       string       `json:"name"`
	Model      string       `json:"model"`
	ModifiedAt time.Time    `json:"modified_at"`
	Size       int64        `json:"size"`
	Digest     string       `json:"digest"`
	Details    modelDetails `json:"details"`
}

func (x *exchange) tags() {
	tags := []tag{}
	for _, m := range x.models {
		tags = append(tags, tag{m.Name, m.Name, x.started, m.size(), digest(m.Name), m.details()})
	}
	x.json(http.StatusOK, jsonType, encode(struct {
		Models []tag `json:"models"`
	}{tags}))
}

type process struct {
	Name          string       `json:"name"`
	Model         string       `json:"model"`
	Size          int64        `json:"size"`
	Digest        string       `json:"digest"`
	Details       modelDetails `json:"details"`
	ExpiresAt     time.Time    `json:"expires_at"`
	SizeVRAM      int64        `json:"size_vram"`
	ContextLength int          `json:"context_length"`
}

func (x *exchange) ps() {
	processes := []process{}
	for _, r := range x.sched.list() {
		p := process{
			Name: r.model.Name, Model: r.model.Name, Size: r.model.size(), Digest: digest(r.model.Name), Details: r.model.details(),
			ExpiresAt: r.expires,
		}
		fmt.Sscan(r.options[0], &p.ContextLength)
		processes = append(processes, p)
	}
	slices.SortFunc(processes, func(a, b process) int {
		return cmp.Or(cmp.Compare(b.ExpiresAt.Unix(), a.ExpiresAt.Unix()), cmp.Compare(a.Name, b.Name))
	})
	x.json(http.StatusOK, jsonType, encode(struct {
		Models []process `json:"models"`
	}{processes}))
}

func (x *exchange) show() {
	var req struct {
		Model string `json:"model"`
		Name  string `json:"name"`
	}
	if err := decode(x.body, &req); err != nil {
		x.fail(native{}, http.StatusBadRequest, err.Error())
		return
	}
	name := cmp.Or(req.Model, req.Name)
	if name == "" {
		x.fail(native{}, http.StatusBadRequest, "model is required")
		return
	}
	m := x.model(name)
	if m == nil {
		x.fail(native{}, http.StatusNotFound, fmt.Sprintf("model '%s' not found", name))
		return
	}
	d := m.details()
	capabilities := []string{"completion"}
	if m.Kind == Embed {
		capabilities = []string{"embedding"}
	} else if m.Thinking != nil {
		capabilities = append(capabilities, "thinking")
	}
	info := map[string]any{
		"general.architecture":       d.Family,
		d.Family + ".context_length": m.NumCtx,
	}
	if m.Kind == Embed {
		info[d.Family+".embedding_length"] = m.Dim
	}
	x.json(http.StatusOK, jsonType, encode(struct {
		Modelfile    string         `json:"modelfile"`
		Template     string         `json:"template"`
		Details      modelDetails   `json:"details"`
		ModelInfo    map[string]any `json:"model_info"`
		Capabilities []string       `json:"capabilities"`
		ModifiedAt   time.Time      `json:"modified_at"`
	}{"FROM " + m.Name + "\nTEMPLATE {{ .Prompt }}\n", "{{ .Prompt }}", d, info, capabilities, x.started}))
}
