// Package lint holds the rules of this code base that no linter knows, as tests over its Go files: lines have at most
// 120 columns, imports point one way, exported names have documentation, and nothing is dead.
package lint
