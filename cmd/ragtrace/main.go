// Command ragtrace tells which question to a RAG pipeline was slow, and what it waited for.
package main

import (
	"os"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr))
}
