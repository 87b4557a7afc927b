// Package browser looks at the reports of Grove in a real browser, Debian's chromium, by tests alone. It is a module of
// its own, so that what drives the browser is no dependency of Grove. make test-browser runs it.
package browser
