// Package trials holds the tests of grove-cluster: real servers, workers and submitters as processes, which are killed,
// stopped and starved. Its tests need $BUILD, the folder with the programs (make test-cluster).
package trials
