package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// pages are the files that the commands wrote, by name.
var pages map[string]string

// allocator starts the browser.
var allocator context.Context

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "grove-browser-")
	if err != nil {
		return failed(err)
	}
	defer os.RemoveAll(dir)
	if pages, err = write(dir); err != nil {
		return failed(err)
	}
	chromium, err := exec.Command("./chromium.sh").Output()
	if err != nil {
		return failed(fmt.Errorf("no browser: see ./chromium.sh"))
	}
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(string(chromium[:len(chromium)-1])), chromedp.UserDataDir(filepath.Join(dir, "profile")),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("hide-scrollbars", true), chromedp.WSURLReadTimeout(time.Minute),
	}
	all, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	one, shut := chromedp.NewContext(all)
	defer shut()
	if err := chromedp.Run(one); err != nil {
		return failed(err)
	}
	allocator = one
	return m.Run()
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, "browser:", err)
	return 1
}

// write makes the pages of all commands that have one, by the programs in $BUILD (../../build): of molecules, and with
// ranks over two sets of them.
func write(dir string) (map[string]string, error) {
	build := os.Getenv("BUILD")
	if build == "" {
		build = "../../build"
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	all := map[string]string{}
	for _, name := range []string{"compare", "eval", "train", "tree", "bench"} {
		all[name] = in(name + ".html")
	}
	models := []string{"wl", "treeg --estimators 3", "linear", "gckn-path --path-size 2 --filters 8 --c-grid 0.1,1,10"}
	compare := func(data string, more ...string) []string {
		args := append([]string{"grove", "compare", "-q", "--cv", "3", "--inner", "2", "--workers", "2", "--calibrate",
			"platt", "--data", data}, more...)
		return append(args, models...)
	}
	for _, args := range [][]string{
		{"grove", "data", "synth", "molecules", "--graphs", "50", "--seed", "1", "--out", in("molecules")},
		{"grove", "data", "synth", "molecules", "--graphs", "50", "--seed", "2", "--out", in("others")},
		compare(in("others"), "-o", in("others.json")),
		compare(in("molecules"), "--choose", "--ranks", in("others.json"), "--html", all["compare"]),
		{"grove", "eval", "gckn-path", "-q", "--path-size", "2", "--filters", "8", "--sigma", "0.4,0.6", "--cv", "4",
			"--inner", "2", "--calibrate", "isotonic", "--data", in("molecules"), "--html", all["eval"]},
		{"grove", "train", "gin", "-q", "--epochs", "12", "--width", "8", "--cv", "2", "--data", in("molecules"), "-o",
			in("gin.grove"), "--html", all["train"]},
		{"grove", "train", "static", "-q", "--data", in("molecules"), "-o", in("static.grove"), "--html", all["tree"]},
		{"bench", "--quick", "--op", "matmul,gram,path-trie", "--model", "none", "--html", all["bench"]},
	} {
		cmd := exec.Command(filepath.Join(build, args[0]), args[1:]...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%v: %w (make build makes the programs)\n%s", args, err, out)
		}
	}
	return all, nil
}
