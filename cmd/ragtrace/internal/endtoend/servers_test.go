//go:build unix

package endtoend

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// startOllama runs a real Ollama that keeps two models loaded for longer than a test lasts, unless settings say otherwise.
func startOllama(t *testing.T, settings ...string) (url string) {
	path := binary(t, "RAGTRACE_TEST_OLLAMA")
	goFirst(t)
	host := fmt.Sprintf("127.0.0.1:%d", freePorts(t, 1))
	url = "http://" + host
	start(t, answers(url+"/api/version", http.StatusOK), append([]string{
		"OLLAMA_HOST=" + host,
		"OLLAMA_MODELS=" + t.TempDir(),
		"OLLAMA_MAX_LOADED_MODELS=2",
		"OLLAMA_NUM_PARALLEL=1",
		"OLLAMA_KEEP_ALIVE=1h",
		"HOME=" + t.TempDir(), // it writes a key there
	}, settings...), path, "serve")
	return url
}

// loaded are the models that Ollama has loaded.
func loaded(t *testing.T, ollama string) (names []string) {
	t.Helper()
	resp, err := http.Get(ollama + "/api/ps")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var ps struct {
		Models []struct{ Name string }
	}
	if err := json.NewDecoder(resp.Body).Decode(&ps); err != nil {
		t.Fatal(err)
	}
	for _, m := range ps.Models {
		names = append(names, m.Name)
	}
	return names
}

// createModel gives Ollama a tiny model with random weights; another seed is another model. A warm answer takes it some 20 ms
// of one core. Its context is there to be set up: 768 MB of cache take a third of a second, and as Ollama looks every 250 ms
// whether a model is loaded, a cold load takes half a second at least, and is never mistaken for a warm one. It reads no
// more than the beginning of a system prompt, as long prompts would make every question long.
func createModel(t *testing.T, url, name string, seed int) {
	t.Helper()
	dir := t.TempDir()
	output(t, dir, nil, "python3", absolute(t, "../../../../.ci/tiny-gguf.py"), "tiny.gguf",
		"--embd", "64", "--layers", "12", "--ff", "176", "--ctx", "262144", "--seed", fmt.Sprint(seed))
	modelfile := `FROM ./tiny.gguf
TEMPLATE """{{ if .System }}{{ printf "%.100s" .System }} {{ end }}{{ .Prompt }}"""
PARAMETER num_ctx 262144
PARAMETER num_batch 64
PARAMETER num_predict 8
PARAMETER num_thread 1
`
	if err := os.WriteFile(filepath.Join(dir, "Modelfile"), []byte(modelfile), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"OLLAMA_HOST=" + url, "HOME=" + dir}
	output(t, dir, env, os.Getenv("RAGTRACE_TEST_OLLAMA"), "create", name, "-f", "Modelfile")
}

// startWeaviate runs a real, empty Weaviate.
func startWeaviate(t *testing.T) (url string) {
	path := binary(t, "RAGTRACE_TEST_WEAVIATE")
	// On one host Weaviate takes the port after RAFT_PORT for its RPC, whatever else it is told, and likewise for its data.
	p := freePorts(t, 6)
	url = fmt.Sprintf("http://127.0.0.1:%d", p)
	start(t, answers(url+"/v1/.well-known/ready", http.StatusOK), []string{
		"CLUSTER_IN_LOCALHOST=true",
		"CLUSTER_ADVERTISE_ADDR=127.0.0.1",
		"CLUSTER_HOSTNAME=node1",
		fmt.Sprintf("CLUSTER_GOSSIP_BIND_PORT=%d", p+1),
		fmt.Sprintf("CLUSTER_DATA_BIND_PORT=%d", p+2),
		fmt.Sprintf("RAFT_PORT=%d", p+3),
		fmt.Sprintf("RAFT_INTERNAL_RPC_PORT=%d", p+4),
		"RAFT_BOOTSTRAP_EXPECT=1",
		fmt.Sprintf("GRPC_PORT=%d", p+5),
		"AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED=true",
		"PERSISTENCE_DATA_PATH=" + t.TempDir(),
		"DEFAULT_VECTORIZER_MODULE=none",
		"DISABLE_TELEMETRY=true",
	}, path, "--host", "127.0.0.1", "--port", fmt.Sprint(p), "--scheme", "http")
	return url
}

const jaegerConfig = `service:
  extensions: [jaeger_storage, jaeger_query]
  pipelines:
    traces:
      receivers: [otlp]
      exporters: [jaeger_storage_exporter]
  telemetry: {metrics: {level: none}}
extensions:
  jaeger_storage:
    backends:
      memory: {memory: {max_traces: 1000}}
  jaeger_query:
    storage: {traces: memory}
    http: {endpoint: "127.0.0.1:%d"}
    grpc: {endpoint: "127.0.0.1:%d"}
receivers:
  otlp: {protocols: {grpc: {endpoint: "127.0.0.1:%d"}}}
exporters:
  jaeger_storage_exporter: {trace_storage: memory}
`

// startJaeger runs a real Jaeger that keeps traces in memory.
func startJaeger(t *testing.T) (query, otlpGRPC string) {
	path := binary(t, "RAGTRACE_TEST_JAEGER")
	p := freePorts(t, 3)
	config := filepath.Join(t.TempDir(), "jaeger.yaml")
	if err := os.WriteFile(config, fmt.Appendf(nil, jaegerConfig, p, p+1, p+2), 0o600); err != nil {
		t.Fatal(err)
	}
	query = fmt.Sprintf("http://127.0.0.1:%d", p)
	env := []string{"OTEL_TRACES_SAMPLER=always_off"} // it would trace itself, and wait for a collector at its end
	start(t, answers(query+"/api/v3/services", http.StatusOK), env, path, "--config", config)
	return query, fmt.Sprintf("127.0.0.1:%d", p+2)
}

// output runs a program to its end and returns what it wrote to its standard output.
func output(t *testing.T, dir string, env []string, path string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		stderr := ""
		if exit, ok := err.(*exec.ExitError); ok {
			stderr = string(exit.Stderr)
		}
		t.Fatalf("%s %v: %v\n%s%s", filepath.Base(path), args, err, out, stderr)
	}
	return string(out)
}

// build builds a program of this module and returns its path.
func build(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.Base(dir))
	output(t, "../../../..", nil, "go", "build", "-o", path, dir)
	return path
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}
