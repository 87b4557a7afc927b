package main

import (
	"bytes"
	"os"
	"testing"
	"time"
)

// started returns channels to and from obey.
func started(t *testing.T) (
	signals chan os.Signal, finished, cancelled chan struct{}, said chan string, status chan int,
) {
	t.Helper()
	signals, finished, cancelled = make(chan os.Signal), make(chan struct{}), make(chan struct{})
	said, status = make(chan string, 2), make(chan int, 1)
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		obey(signals, finished, func() { close(cancelled) }, func(line string, _ bool) { said <- line },
			func(s int) { status <- s })
	}()
	t.Cleanup(func() { <-returned })
	return signals, finished, cancelled, said, status
}

// The first signal cancels the work and says what a second one does; the second one ends the program.
func TestSecondInterruptEndsAtOnce(t *testing.T) {
	signals, _, cancelled, said, status := started(t)
	signals <- os.Interrupt
	<-cancelled
	if line := <-said; line != stopping {
		t.Errorf("it says %q", line)
	}
	signals <- os.Interrupt
	if s := <-status; s != exitInterrupted {
		t.Errorf("exit status %d", s)
	}
}

// Work that does not come back after a signal is left.
func TestInterruptIsPatientForAWhile(t *testing.T) {
	signals, _, _, said, status := started(t)
	signals <- os.Interrupt
	if s := <-status; s != exitInterrupted || len(said) != 2 {
		t.Errorf("exit status %d after %d lines", s, len(said))
	}
}

// Work that comes back ends the program itself, and without a signal nothing is said.
func TestWorkThatComesBackIsNotLeft(t *testing.T) {
	signals, finished, cancelled, said, status := started(t)
	signals <- os.Interrupt
	<-cancelled
	<-said
	close(finished)
	_, finished, _, said2, status2 := started(t)
	close(finished)
	time.Sleep(patience + 2*moment)
	if len(said) > 0 || len(said2) > 0 || len(status) > 0 || len(status2) > 0 {
		t.Error("it goes on after the work is finished")
	}
}

// A standard error that is held, as by Ctrl-S on a terminal, keeps the program no longer.
func TestInterruptWhileNobodyReads(t *testing.T) {
	signals, status := make(chan os.Signal, 1), make(chan int, 1)
	signals <- os.Interrupt
	go obey(signals, nil, func() {}, func(string, bool) { select {} }, func(s int) { status <- s })
	select {
	case <-status:
	case <-time.After(10 * time.Second):
		t.Error("the program waits for ever")
	}
}

// The last line stays the last: the work may have said it before the signal is spoken of.
func TestNothingIsSaidAfterTheLastLine(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out)
	p.finish(interrupted, true)
	p.finish(stopping, false)
	p.finish(interrupted, true)
	if out.String() != interrupted+"\n" {
		t.Errorf("it says %q", out.String())
	}
}
