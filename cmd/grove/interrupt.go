package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/grove-graph/grove/atomicfile"
)

// The work has patience of time to come back after a signal, and the last words have moment: they may go to a
// terminal that is held, or to a pipe that nobody reads.
const (
	patience = 800 * time.Millisecond
	moment   = 200 * time.Millisecond
)

const (
	stopping    = "grove: stopping; press Ctrl-C again to end at once"
	interrupted = "grove: interrupted"
)

// obeySignals lets signals interrupt the work until the returned function is called.
func (a *app) obeySignals(cancel func()) (leave func()) {
	signals, finished := make(chan os.Signal, 2), make(chan struct{})
	notify(signals)
	go obey(signals, finished, cancel, a.progress.finish, func(status int) {
		within(moment, atomicfile.Abandon)
		os.Exit(status)
	})
	return func() {
		signal.Stop(signals)
		close(finished)
	}
}

// notify asks for the signals that end a program.
func notify(signals chan<- os.Signal) {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // as SIGHUP is under nohup, and SIGINT of what a script starts in the background
			signal.Notify(signals, s)
		}
	}
}

// obey cancels the work at the first signal, and ends the program at the second or where the work has not finished
// when patience is over. Nothing is lost by it: files appear complete or not at all.
func obey(
	signals <-chan os.Signal, finished <-chan struct{}, cancel func(), say func(line string, last bool),
	exit func(status int),
) {
	select {
	case <-signals:
	case <-finished:
		return
	}
	enough := time.After(patience)
	cancel()
	within(moment, func() { say(stopping, false) })
	select {
	case <-finished:
		return
	case <-signals:
	case <-enough:
	}
	within(moment, func() { say(interrupted, true) })
	exit(exitInterrupted)
}

// within calls f and waits until it returns, or for d.
func within(d time.Duration, f func()) {
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		f()
	}()
	select {
	case <-returned:
	case <-time.After(d):
	}
}
