// Package lint holds the rules of this code base that no linter knows, as tests over its files: lines of Go and of the
// kernels have at most 120 columns, imports point one way, exported names have documentation, and nothing is dead.
package lint
