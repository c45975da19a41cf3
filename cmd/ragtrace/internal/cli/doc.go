// Package cli is the command line: a file a command. Flags and arguments come in; text for people or JSON goes out, and
// an exit code. It may import every other package of ragtrace, and nothing imports it but main.
package cli
