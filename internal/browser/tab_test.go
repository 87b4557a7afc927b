package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// view says how a page is looked at.
type view struct {
	width, height int64
	dark, paper   bool
	scripts       bool
}

var (
	desktop = view{width: 1200, height: 900, scripts: true}
	phone   = view{width: 360, height: 740, scripts: true}
)

func (v view) String() string {
	scheme := "light"
	if v.dark {
		scheme = "dark"
	}
	return fmt.Sprintf("%d-%s", v.width, scheme)
}

// tab is a page that is looked at. Whatever it complains of, and whatever it asks the network for, fails the test.
type tab struct {
	*testing.T
	browser context.Context
}

// open opens a page.
func open(t *testing.T, name string, v view) *tab {
	t.Helper()
	ctx, shut := chromedp.NewContext(allocator)
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	var mu sync.Mutex
	var complaints []string
	complain := func(format string, values ...any) {
		mu.Lock()
		defer mu.Unlock()
		complaints = append(complaints, fmt.Sprintf(format, values...))
	}
	url := "file://" + pages[name]
	chromedp.ListenTarget(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventConsoleAPICalled:
			complain("the console says %s: %v", e.Type, e.Args)
		case *runtime.EventExceptionThrown:
			complain("%s", e.ExceptionDetails)
		case *log.EventEntryAdded:
			complain("the log says %s: %s", e.Entry.Level, e.Entry.Text)
		case *network.EventRequestWillBeSent:
			if asked := e.Request.URL; strings.SplitN(asked, "#", 2)[0] != url && !strings.HasPrefix(asked, "data:") {
				complain("the page asks for %s", asked)
			}
		}
	})
	t.Cleanup(func() {
		mu.Lock()
		for _, c := range complaints {
			t.Error(c)
		}
		mu.Unlock()
		stop()
		shut()
	})
	scheme, media := "light", ""
	if v.dark {
		scheme = "dark"
	}
	if v.paper {
		media = "print"
	}
	x := &tab{t, ctx}
	x.do(network.Enable(), log.Enable(), runtime.Enable(),
		emulation.SetScriptExecutionDisabled(!v.scripts), chromedp.EmulateViewport(v.width, v.height),
		emulation.SetEmulatedMedia().WithMedia(media).WithFeatures([]*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}}),
		chromedp.Navigate(url))
	return x
}

// do performs actions.
func (x *tab) do(actions ...chromedp.Action) {
	x.Helper()
	if err := chromedp.Run(x.browser, actions...); err != nil {
		x.Fatal(err)
	}
}

// ask evaluates an expression in the page.
func ask[T any](x *tab, script string) (answer T) {
	x.Helper()
	var raw json.RawMessage
	x.do(chromedp.Evaluate(script, &raw))
	if err := json.Unmarshal(raw, &answer); err != nil {
		x.Fatalf("%s: %s: %v", script, raw, err)
	}
	return answer
}

// paper prints the page.
func (x *tab) paper() []byte {
	x.Helper()
	var pdf []byte
	x.do(chromedp.ActionFunc(func(ctx context.Context) (err error) {
		pdf, _, err = page.PrintToPDF().WithPrintBackground(false).Do(ctx)
		return err
	}))
	return pdf
}

// shoot keeps a picture of the whole page in the folder that $SCREENSHOTS names, if it names one.
func (x *tab) shoot(name string) {
	x.Helper()
	dir := os.Getenv("SCREENSHOTS")
	if dir == "" {
		return
	}
	var png []byte
	x.do(chromedp.FullScreenshot(&png, 100))
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600); err != nil {
		x.Fatal(err)
	}
}
