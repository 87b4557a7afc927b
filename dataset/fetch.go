package dataset

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/grove-graph/grove/atomicfile"
)

// TUCollection is where the TU collection (Morris et al. 2020) offers its archives.
const TUCollection = "https://www.chrsmrrs.com/graphkerneldatasets"

// FetchOptions says how [Fetch] downloads. The zero value takes the TU collection into the current folder.
type FetchOptions struct {
	Dir      string // the data set goes to Dir/NAME; "" is the current folder
	BaseURL  string // where NAME.zip lies; "" is TUCollection
	SHA256   string // expected checksum of NAME.zip in hexadecimal; "" is not checked
	MaxBytes int64  // most bytes of the unpacked files; 0 means 16 GiB

	MaxDownload   int64 // most bytes of the archive, whatever the server says; 0 means 4 GiB
	AcceptChanged bool  // take files other than those that are pinned, see [CheckPinned]

	Progress func(done, total int64) // called with the bytes there and in all, -1 if unknown; may be nil
	Client   *http.Client            // nil takes a client that gives up after a minute of silence
}

const (
	defaultMaxBytes    = 16 << 30
	defaultMaxDownload = 4 << 30
	longestSilence     = time.Minute
)

// Fetched is a data set that [Fetch] has put into a folder, or found there.
type Fetched struct {
	Folder string
	Before bool  // it was there and left alone
	Known  int   // files whose contents are those that are pinned, 0 where none are
	Change error // how the files differ from the pinned ones, where that was accepted or the set was there before
}

// Fetch downloads NAME.zip, checks it and unpacks it to Dir/NAME. A data set that is there already is left alone.
//
// An interrupted download stays in Dir as .NAME.zip.part and is continued, if the server offers the same
// file still (by its ETag or date). The archive's own checksums, if given its SHA-256, and the contents of the files
// where they are pinned (see [CheckPinned]) are verified before the folder takes its name, so it is there as a whole
// or not at all. Errors are one line, [ErrChanged] where the contents are others; without a network it says so and
// what to do.
func Fetch(ctx context.Context, name string, options FetchOptions) (*Fetched, error) {
	fetched, err := fetch(ctx, name, options)
	if err != nil {
		return nil, fmt.Errorf("fetch %s: %w", name, err)
	}
	return fetched, nil
}

func fetch(ctx context.Context, name string, opt FetchOptions) (*Fetched, error) {
	if !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`).MatchString(name) {
		return nil, errors.New("a name has only letters, digits, dots, underscores and hyphens")
	}
	opt.Dir = cmp.Or(opt.Dir, ".")
	opt.BaseURL = cmp.Or(opt.BaseURL, TUCollection)
	opt.MaxBytes = cmp.Or(opt.MaxBytes, defaultMaxBytes)
	opt.MaxDownload = cmp.Or(opt.MaxDownload, defaultMaxDownload)
	if opt.Client == nil {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.ResponseHeaderTimeout = longestSilence
		opt.Client = &http.Client{Transport: transport}
	}
	f := &Fetched{Folder: filepath.Join(opt.Dir, name)}
	d := &download{
		FetchOptions: opt,
		url:          strings.TrimRight(opt.BaseURL, "/") + "/" + url.PathEscape(name) + ".zip",
		partial:      filepath.Join(opt.Dir, "."+name+".zip.part"),
	}
	if tu := (folder{os.DirFS(f.Folder), f.Folder}); tu.find(name+"_A.txt") != "" {
		d.forget() // of a run that was killed once the folder had its name
		f.Before = true
		f.Known, f.Change = CheckPinned(f.Folder, name)
		return f, nil
	}
	if _, err := os.Lstat(f.Folder); err == nil {
		return nil, fmt.Errorf("%s is in the way: remove it and run again", f.Folder)
	}
	out, err := atomicfile.NewFolder(f.Folder, func(string) bool { return false }) // one process at a time
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Folder, plainError(err))
	}
	defer out.Discard()
	if err := d.run(ctx); err != nil {
		return nil, err
	}
	if err := d.checkSum(); err != nil {
		d.forget()
		return nil, err
	}
	verify := func(dir string) error {
		if f.Known, f.Change = CheckPinned(dir, name); opt.AcceptChanged {
			return nil
		}
		return f.Change
	}
	if err := unpack(d.partial, out, name, opt.MaxBytes, verify); err != nil {
		var damaged *archiveError
		if errors.As(err, &damaged) || errors.Is(err, ErrChanged) {
			d.forget()
		}
		return nil, err
	}
	d.forget()
	return f, nil
}

// download is one archive on its way into a partial file. Beside it lies a file with the validator (the
// ETag or the date) of what was downloaded so far.
type download struct {
	FetchOptions
	url, partial string
}

func (d *download) validatorFile() string { return d.partial + ".validator" }

// forget removes the partial file.
func (d *download) forget() {
	_ = os.Remove(d.partial)
	_ = os.Remove(d.validatorFile())
}

// run brings the partial file to completion.
func (d *download) run(ctx context.Context) error {
	restart, err := d.request(ctx)
	if err == nil && restart {
		d.forget()
		restart, err = d.request(ctx)
	}
	if err == nil && restart {
		err = fmt.Errorf("%s: the server refuses to send the file from its start", d.url)
	}
	return err
}

// request downloads what is missing. restart is true if what is there does not belong to the file.
func (d *download) request(ctx context.Context) (restart bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.url, nil)
	if err != nil {
		return false, err
	}
	done := int64(0)
	if info, err := os.Stat(d.partial); err == nil && info.Size() > 0 {
		if validator, err := os.ReadFile(d.validatorFile()); err == nil && len(validator) > 0 {
			done = info.Size()
			request.Header.Set("Range", fmt.Sprintf("bytes=%d-", done))
			request.Header.Set("If-Range", string(validator))
		}
	}
	response, err := d.Client.Do(request)
	if err != nil {
		return false, networkError(d.url, err)
	}
	defer response.Body.Close()

	total := int64(-1)
	switch response.StatusCode {
	case http.StatusOK:
		done, total = 0, response.ContentLength
	case http.StatusPartialContent:
		var from, to int64
		_, err := fmt.Sscanf(response.Header.Get("Content-Range"), "bytes %d-%d/%d", &from, &to, &total)
		if err != nil || from != done || done == 0 {
			return true, nil
		}
	case http.StatusRequestedRangeNotSatisfiable:
		_, err := fmt.Sscanf(response.Header.Get("Content-Range"), "bytes */%d", &total)
		if err == nil && done > 0 && total == done {
			return false, nil // it was complete already
		}
		return true, nil
	case http.StatusNotFound:
		return false, fmt.Errorf("%s: the server has no such data set (404)", d.url)
	default:
		return false, fmt.Errorf("%s: the server answers %s", d.url, response.Status)
	}
	if max(done, total) > d.MaxDownload {
		d.forget()
		return false, d.tooLarge()
	}
	return false, d.save(response, done, total, cancel)
}

// tooLarge says that the server sends more than can be the data set.
func (d *download) tooLarge() error {
	return fmt.Errorf("%s: the server sends more than the %d bytes that are taken at most: "+
		"if this is the data set, unpack a copy by hand", d.url, d.MaxDownload)
}

// save appends the body of the response to the first done bytes of the partial file.
func (d *download) save(response *http.Response, done, total int64, cancel context.CancelCauseFunc) error {
	if info, err := os.Lstat(d.partial); err == nil && !info.Mode().IsRegular() {
		if err := os.Remove(d.partial); err != nil {
			return err
		}
	}
	file, err := os.OpenFile(d.partial, os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := file.Truncate(done); err != nil { // before the file is said to be of another version
		return err
	}
	if err := os.WriteFile(d.validatorFile(), []byte(validator(response.Header)), 0o666); err != nil {
		return err
	}
	if _, err := file.Seek(done, io.SeekStart); err != nil {
		return err
	}
	silence := time.AfterFunc(longestSilence, func() { cancel(errors.New("the server fell silent")) })
	defer silence.Stop()
	buffer := make([]byte, 1<<16)
	for {
		n, readError := response.Body.Read(buffer)
		if done+int64(n) > d.MaxDownload {
			d.forget()
			return d.tooLarge()
		}
		if _, err := file.Write(buffer[:n]); err != nil {
			return err
		}
		done += int64(n)
		silence.Reset(longestSilence)
		if d.Progress != nil && n > 0 {
			d.Progress(done, total)
		}
		if cause := context.Cause(response.Request.Context()); cause != nil {
			readError = cause
		}
		if readError == io.EOF && (total < 0 || done == total) {
			return errors.Join(file.Sync(), file.Close())
		}
		if readError != nil {
			if readError == io.EOF {
				readError = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("%s: stopped after %d of %d bytes (%w); run it again to continue", d.url, done, total, readError)
		}
	}
}

// validator returns what identifies the version of the file in a later request: its ETag, if strong, or
// its date; "" if there is neither, and the file cannot be continued.
func validator(header http.Header) string {
	if tag := header.Get("ETag"); strings.HasPrefix(tag, `"`) {
		return tag
	}
	return header.Get("Last-Modified")
}

// networkError explains in one line that the server cannot be reached.
func networkError(address string, err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	host := address
	if parsed, parseError := url.Parse(address); parseError == nil && parsed.Host != "" {
		host = parsed.Host
	}
	return fmt.Errorf("no network, or %s is not reachable (%w): unpack a copy of %s by hand instead", host, err, address)
}

// checkSum compares the checksum of the archive with the expected one.
func (d *download) checkSum() error {
	if d.SHA256 == "" {
		return nil
	}
	file, err := os.Open(d.partial)
	if err != nil {
		return err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return err
	}
	if found := hex.EncodeToString(sum.Sum(nil)); !strings.EqualFold(found, d.SHA256) {
		return fmt.Errorf("%s: the SHA-256 is %s, expected %s", d.url, found, d.SHA256)
	}
	return nil
}
