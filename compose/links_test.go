package compose

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// The pages of Jaeger and of ragtrace link to each other where compose.yaml has them.
func TestThePagesLinkToEachOther(t *testing.T) {
	published := func(service string) string {
		address := services(t)[service]["ports"].([]any)[0].(string)
		return "http://" + address[:strings.LastIndex(address, ":")]
	}
	if got, want := argument(t, "ragtrace", "--jaeger-ui"), published("jaeger"); got != want {
		t.Errorf("ragtrace links to %s, but Jaeger is at %s", got, want)
	}
	var ui struct {
		LinkPatterns []struct{ URL, Text string }
	}
	if err := json.Unmarshal([]byte(read(t, "jaeger-ui.json")), &ui); err != nil {
		t.Fatal(err)
	}
	if len(ui.LinkPatterns) == 0 {
		t.Error("Jaeger links to nothing")
	}
	for _, p := range ui.LinkPatterns {
		if !strings.HasPrefix(p.URL, published("ragtrace")+"/") {
			t.Errorf("Jaeger links to %s, but ragtrace is at %s", p.URL, published("ragtrace"))
		}
		if p.Text == "" {
			t.Errorf("the link to %s has no text", p.URL)
		}
	}
}

func TestJaegerFindsItsFilesAndRagtrace(t *testing.T) {
	jaeger := services(t)["jaeger"]
	var mounts []string
	for _, m := range jaeger["volumes"].([]any) {
		mounts = append(mounts, m.(string))
	}
	config, _ := strings.CutPrefix(jaeger["command"].([]any)[0].(string), "--config=")
	for file, at := range map[string]string{"./jaeger.yaml": config, "./jaeger-ui.json": jaegerSetting(t, "JAEGER_UI")} {
		if want := file + ":" + at + ":ro"; !slices.Contains(mounts, want) {
			t.Errorf("Jaeger looks for %s, which compose.yaml does not mount: %v", at, mounts)
		}
	}
	to, grpc := jaegerSetting(t, "RAGTRACE_OTLP"), argument(t, "ragtrace", "--otlp-grpc")
	if want := "ragtrace:" + port(t, "http://"+grpc); to != want {
		t.Errorf("Jaeger passes spans on to %s, but ragtrace receives them at %s", to, want)
	}
	if db := argument(t, "ragtrace", "--db"); !strings.HasPrefix(db, "/data/") || !slices.Contains(services(t)["ragtrace"]["volumes"].([]any), any("questions:/data")) {
		t.Errorf("ragtrace writes to %s, which is on no volume", db)
	}
}
