// Package endtoend has only tests: programs traced by this module speak to real servers, and what Jaeger and our own store
// then know is compared with what the servers said.
//
// The tests are skipped unless these variables name the servers' binaries, which .ci/peers builds:
//
//	RAGTRACE_TEST_OLLAMA RAGTRACE_TEST_WEAVIATE RAGTRACE_TEST_JAEGER RAGTRACE_TEST_COLLECTOR
package endtoend
