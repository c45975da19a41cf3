package cli

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"
)

// dbFlag adds --db, the store that a command writes or reads. The commands share one default.
func dbFlag(cmd *cobra.Command) *string {
	return cmd.Flags().String("db", defaultDB(), "`FILE` that holds the traces")
}

// defaultDB is ragtrace.db in the user's data directory, or in the current one when the user has no home.
func defaultDB() string {
	return filepath.Join(dataDir(), "ragtrace.db")
}

func dataDir() string {
	// The XDG base directories: a relative path is to be ignored.
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "ragtrace")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "."
	}
	switch runtime.GOOS {
	case "darwin", "ios":
		return filepath.Join(home, "Library", "Application Support", "ragtrace")
	case "windows":
		if dir := os.Getenv("LocalAppData"); dir != "" {
			return filepath.Join(dir, "ragtrace")
		}
	}
	return filepath.Join(home, ".local", "share", "ragtrace")
}
