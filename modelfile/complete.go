package modelfile

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Unmarshal reads the JSON of a part of a model into what v points to, as [json.Unmarshal] does. It is an error if a
// field is missing that is always written, one without omitempty, or if null stands where it is never written: both
// would silently stand for 0.
func Unmarshal(raw []byte, v any) error {
	if err := json.Unmarshal(raw, v); err != nil {
		return err
	}
	return complete(raw, reflect.TypeOf(v).Elem(), "the model")
}

// complete checks that raw, which was read into a value of type t, holds all of it. at says where it stands.
func complete(raw []byte, t reflect.Type, at string) error {
	raw = bytes.TrimSpace(raw)
	null := bytes.Equal(raw, []byte("null"))
	switch kind := t.Kind(); {
	case null && (kind == reflect.Slice || kind == reflect.Map) && !reads(t):
		return nil // an empty one is written like this
	case null:
		return fmt.Errorf("%s is null", at)
	case reads(t):
		return nil
	case kind == reflect.Pointer:
		return complete(raw, t.Elem(), at)
	case kind == reflect.Slice || kind == reflect.Array:
		return completeList(raw, t.Elem(), at)
	case kind == reflect.Struct:
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(raw, &fields); err != nil {
			return err
		}
		return completeFields(fields, t, at)
	}
	return nil
}

// reads reports whether a type reads its JSON by itself.
func reads(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

func completeList(raw []byte, of reflect.Type, at string) error {
	if kind := of.Kind(); kind != reflect.Struct && kind != reflect.Pointer && kind != reflect.Slice &&
		!bytes.Contains(raw, []byte("null")) {
		return nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	for i, element := range list {
		if err := complete(element, of, fmt.Sprintf("%s[%d]", at, i)); err != nil {
			return err
		}
	}
	return nil
}

func completeFields(fields map[string]json.RawMessage, t reflect.Type, at string) error {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			if err := completeFields(fields, f.Type, at); err != nil {
				return err
			}
			continue
		}
		if !f.IsExported() || name == "-" {
			continue
		}
		raw, there := fields[name]
		if !there {
			if strings.Contains(options, "omitempty") {
				continue
			}
			return fmt.Errorf("%s has no %q", at, name)
		}
		if err := complete(raw, f.Type, name); err != nil {
			return err
		}
	}
	return nil
}
