// Reads vectors, a line each, and answers true or false, a line each. The sample is the package webhooks beside it.
package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"os"
	"sample/webhooks"
	"strconv"
	"strings"
	"time"
)

func part(item string) (string, []byte) {
	name, encoded, _ := strings.Cut(item, ":")
	value, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		panic(err)
	}
	return name, value
}

func items(list string) []string {
	return strings.FieldsFunc(list, func(each rune) bool { return each == ',' })
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		now, _ := strconv.ParseInt(fields[0], 10, 64)
		secrets := []string{}
		for _, item := range items(fields[1]) {
			_, value := part(item)
			secrets = append(secrets, string(value))
		}
		// As http.Header.Get does it: names are the same in any case.
		headers := map[string]string{}
		for _, item := range items(fields[2]) {
			name, value := part(item)
			headers[strings.ToLower(name)] = string(value)
		}
		header := func(name string) string { return headers[strings.ToLower(name)] }
		_, body := part(fields[3])
		fmt.Println(webhooks.Verify(body, header, secrets, time.Unix(now, 0)))
	}
}
