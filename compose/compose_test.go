// Package compose holds compose.yaml. Its tests check that the file agrees with the code and the README, since nothing
// else would notice that it does not.
package compose

import (
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// jaegerReleases says which image is which Go module: Jaeger v2 is published under the module's version 1.
var jaegerReleases = map[string]string{"v1.76.0": "2.13.0"}

func TestImagesAreTheVersionsThatTheTestsRun(t *testing.T) {
	want := map[string]string{
		"jaeger":   "jaegertracing/jaeger:" + jaegerReleases[required(t, "jaeger", "github.com/jaegertracing/jaeger")],
		"ollama":   "ollama/ollama:" + required(t, "ollama", "github.com/ollama/ollama")[1:],
		"models":   "ollama/ollama:" + required(t, "ollama", "github.com/ollama/ollama")[1:],
		"weaviate": "semitechnologies/weaviate:" + required(t, "weaviate", "github.com/weaviate/weaviate")[1:],
	}
	got := make(map[string]string)
	for name, s := range services(t) {
		if image, ok := s["image"].(string); ok {
			got[name] = image
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("images (-go.mod files in .ci +compose.yaml):\n%s", diff)
	}
}

func TestImagesAreBuiltWithTheGoOfTheModule(t *testing.T) {
	for name, program := range map[string]string{"ragapp": "examples/ragapp", "ragtrace": "cmd/ragtrace"} {
		build := services(t)[name]["build"].(map[string]any)
		if build["context"] != ".." || build["dockerfile"] != program+"/Dockerfile" {
			t.Errorf("%s is built from %v, want %s/Dockerfile at the top of the repository", name, build, program)
		}
		dockerfile := read(t, "../"+build["dockerfile"].(string))
		version := find(t, read(t, "../go.mod"), `(?m)^go (\d+\.\d+)`)
		if want := "FROM golang:" + version + " AS build"; !strings.Contains(dockerfile, want) {
			t.Errorf("the Dockerfile of %s has no line %q", name, want)
		}
		if !regexp.MustCompile(`go build -o /` + name + ` \./` + program + `\b`).MatchString(dockerfile) {
			t.Errorf("the Dockerfile of %s does not build ./%s", name, program)
		}
	}
}

func TestRagappIsGivenTheVariablesItReads(t *testing.T) {
	want := []string{"OTEL_EXPORTER_OTLP_ENDPOINT"} // read by the OpenTelemetry SDK
	for _, m := range regexp.MustCompile(`text\(&c\.\w+, "[a-z-]+", "([A-Z_]+)"`).FindAllStringSubmatch(ragappConfig(t), -1) {
		want = append(want, m[1])
	}
	var got []string
	for name := range environment(services(t)["ragapp"]) {
		got = append(got, name)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("variables (-code +compose.yaml):\n%s", diff)
	}
}

func TestModelsAreRagappsDefaultsAndAreFetched(t *testing.T) {
	all := services(t)
	for variable, constant := range map[string]string{"CHAT_MODEL": "defaultChatModel", "EMBED_MODEL": "defaultEmbedModel"} {
		want := ragappDefault(t, constant)
		for _, service := range []string{"ragapp", "models"} {
			if got := environment(all[service])[variable]; got != want {
				t.Errorf("%s of %s is %q, want %q", variable, service, got, want)
			}
		}
		// A single $ would be replaced by compose itself.
		command := all["models"]["command"].([]any)[0].(string)
		if !strings.Contains(command, "ollama pull $$"+variable) {
			t.Errorf("models does not pull $%s", variable)
		}
	}
}

// listening is the port on which each service of compose.yaml listens within its network, as the file itself says.
func listening(t *testing.T) map[string][]string {
	all := services(t)
	return map[string][]string{
		"jaeger":   {port(t, "http://"+jaegerSetting(t, "OTLP_GRPC")), port(t, "http://"+jaegerSetting(t, "JAEGER_HTTP"))},
		"ragtrace": {port(t, "http://"+argument(t, "ragtrace", "--otlp-grpc")), port(t, "http://"+argument(t, "ragtrace", "--http"))},
		"ollama":   {port(t, "http://"+environment(all["ollama"])["OLLAMA_HOST"])},
		"weaviate": {argument(t, "weaviate", "--port")},
		"ragapp":   {port(t, "http://"+environment(all["ragapp"])["ADDR"])},
	}
}

func TestServicesAreReachedWhereTheyListen(t *testing.T) {
	all, ports := services(t), listening(t)
	for name, s := range all {
		for variable, value := range environment(s) {
			u, err := url.Parse(value)
			if err != nil || u.Scheme != "http" {
				continue
			}
			if !slices.Contains(ports[u.Hostname()], u.Port()) {
				t.Errorf("%s of %s is %s, but %s listens on %v", variable, name, value, u.Hostname(), ports[u.Hostname()])
			}
		}
	}
	if got := environment(all["ragapp"])["OTEL_EXPORTER_OTLP_ENDPOINT"]; got != "http://jaeger:4317" {
		t.Errorf("ragapp sends its spans to %s, want Jaeger's OTLP/gRPC", got)
	}
}

func TestPortsAreOnLoopbackAndAreTheDefaultsOfTheCode(t *testing.T) {
	published := make(map[string]string) // service: address on the host
	for name, s := range services(t) {
		mappings, _ := s["ports"].([]any)
		for _, m := range mappings {
			parts := strings.Split(m.(string), ":")
			if len(parts) != 3 || parts[0] != "127.0.0.1" {
				t.Fatalf("port %v of %s is not written 127.0.0.1:HOST:CONTAINER", m, name)
			}
			if !slices.Contains(listening(t)[name], parts[2]) {
				t.Errorf("port %v of %s leads to %s, but it listens on %v", m, name, parts[2], listening(t)[name])
			}
			if published[name] != "" {
				t.Errorf("%s publishes more than one port", name)
			}
			published[name] = parts[0] + ":" + parts[1]
		}
	}
	want := map[string]string{
		"jaeger":   "127.0.0.1:16686",
		"ragtrace": find(t, read(t, "../cmd/ragtrace/internal/cli/serve.go"), `\("http", "([^"]+)"`),
		"ollama":   strings.TrimPrefix(ragappDefault(t, "defaultOllama"), "http://"),
		"weaviate": strings.TrimPrefix(ragappDefault(t, "defaultWeaviate"), "http://"),
		"ragapp":   ragappDefault(t, "defaultAddr"),
	}
	if diff := cmp.Diff(want, published); diff != "" {
		t.Errorf("addresses on the host (-code +compose.yaml):\n%s", diff)
	}
}

func TestDependenciesAndVolumesExist(t *testing.T) {
	file := parse(t)
	all := services(t)
	volumes := file["volumes"].(map[string]any)
	for name, s := range all {
		var needs []string
		switch d := s["depends_on"].(type) {
		case []any:
			for _, n := range d {
				needs = append(needs, n.(string))
			}
		case map[string]any:
			for n := range d {
				needs = append(needs, n)
			}
		}
		for _, n := range needs {
			if all[n] == nil {
				t.Errorf("%s depends on %s, which is no service", name, n)
			}
		}
		mounts, _ := s["volumes"].([]any)
		for _, m := range mounts {
			volume, _, _ := strings.Cut(m.(string), ":")
			if strings.HasPrefix(volume, "./") {
				read(t, volume)
			} else if _, ok := volumes[volume]; !ok {
				t.Errorf("%s mounts %s, which is no volume", name, volume)
			}
		}
	}
}

func parse(t *testing.T) map[string]any {
	t.Helper()
	file, err := parseYAML(read(t, "compose.yaml"))
	if err != nil {
		t.Fatalf("compose.yaml: %v", err)
	}
	return file
}

func services(t *testing.T) map[string]map[string]any {
	t.Helper()
	all := make(map[string]map[string]any)
	for name, s := range parse(t)["services"].(map[string]any) {
		all[name] = s.(map[string]any)
	}
	return all
}

func environment(service map[string]any) map[string]string {
	env := make(map[string]string)
	m, _ := service["environment"].(map[string]any)
	for k, v := range m {
		env[k] = v.(string)
	}
	return env
}

// argument is what follows a flag in the command of a service.
func argument(t *testing.T, service, flag string) string {
	t.Helper()
	command := services(t)[service]["command"].([]any)
	i := slices.Index(command, any(flag))
	if i < 0 || i+1 == len(command) {
		t.Fatalf("%s is started without %s", service, flag)
	}
	return command[i+1].(string)
}

// jaegerSetting is what jaeger.yaml says unless a variable says otherwise.
func jaegerSetting(t *testing.T, variable string) string {
	t.Helper()
	return find(t, read(t, "jaeger.yaml"), `"\$\{env:`+variable+`:-([^}]+)\}"`)
}

func ragappConfig(t *testing.T) string {
	t.Helper()
	return read(t, "../examples/ragapp/config.go")
}

// ragappDefault is the value of a constant in ragapp's config.go.
func ragappDefault(t *testing.T, constant string) string {
	t.Helper()
	return find(t, ragappConfig(t), `(?m)^\t`+constant+`\s+= "([^"]+)"$`)
}

// required is the version of a module in the go.mod from which .ci/peers builds a real server.
func required(t *testing.T, peer, module string) string {
	t.Helper()
	return find(t, read(t, "../.ci/"+peer+"/go.mod"), `(?m)^\s*(?:require )?`+regexp.QuoteMeta(module)+` (v\S+)`)
}

func find(t *testing.T, text, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("nothing matches %s", pattern)
	}
	return m[1]
}

func port(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Port()
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
