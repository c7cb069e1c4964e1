// Count the lines of a file. With --json, standard output is one result and nothing else.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"unicode/utf8"
)

type result struct {
	Success   bool    `json:"success"`
	Message   string  `json:"message"`
	Error     string  `json:"error,omitempty"`
	ErrorCode string  `json:"error_code,omitempty"`
	Path      *string `json:"path,omitempty"`
	LineCount *int    `json:"line_count,omitempty"`
}

func main() {
	var files []string
	asJSON, wrong := false, false
	for i, word := range os.Args[1:] {
		if word == "--" {
			files = append(files, os.Args[i+2:]...)
			break
		} else if word == "--json" {
			asJSON = true
		} else if strings.HasPrefix(word, "-") {
			wrong = true
		} else {
			files = append(files, word)
		}
	}
	done, status := result{Message: "Name one file: count-lines [--json] [--] FILE", ErrorCode: "usage_error"}, 2
	if !wrong && len(files) == 1 {
		done, status = countLines(files[0]), 1
	}
	if done.Success {
		status = 0
	}
	text, to := []byte(done.Message), os.Stderr
	if asJSON {
		text, _ = json.Marshal(done) // It has nothing that JSON lacks.
	}
	if asJSON || done.Success {
		to = os.Stdout
	}
	if _, err := to.Write(append(text, '\n')); err != nil {
		status = 1 // What could not be told did not succeed.
	}
	os.Exit(status)
}

func countLines(path string) result {
	if !utf8.ValidString(path) {
		return result{Message: "The file's name is not UTF-8, so no result can tell it.", ErrorCode: "path_not_text"}
	}
	count, err := linesOf(path)
	if err == nil {
		return result{Success: true, Message: fmt.Sprintf("Lines in %s: %d.", path, count), Path: &path, LineCount: &count}
	}
	code, what := "os_error", "could not be read"
	if errors.Is(err, fs.ErrNotExist) {
		code, what = "path_not_found", "was not found"
	} else if errors.Is(err, fs.ErrPermission) {
		code, what = "permission_denied", "may not be read"
	} else if errors.Is(err, syscall.EISDIR) {
		code, what = "not_a_file", "is a folder"
	}
	return result{Message: path + " " + what + ".", Error: err.Error(), ErrorCode: code, Path: &path}
}

func linesOf(path string) (count int, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	buffer, last := make([]byte, 1<<16), byte('\n')
	for {
		n, err := file.Read(buffer)
		if n > 0 {
			count += bytes.Count(buffer[:n], []byte{'\n'})
			last = buffer[n-1]
		}
		if err == io.EOF {
			if last != '\n' {
				count++ // The last line may lack its line feed.
			}
			return count, nil
		}
		if err != nil {
			return 0, err
		}
	}
}
