// Package digest gives lists of numbers and texts a checksum that differs where they do.
package digest

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
)

// Of returns the SHA-256 of lists of numbers of fixed size or of bytes, each after its length; of ints and texts too.
func Of(lists ...any) string {
	h := sha256.New()
	for _, list := range lists {
		switch l := list.(type) {
		case []int:
			wide := make([]int64, len(l))
			for i, v := range l {
				wide[i] = int64(v)
			}
			add(h, wide)
		case string:
			add(h, []byte(l))
		case []string:
			add(h, int64(len(l)))
			for _, text := range l {
				add(h, []byte(text))
			}
		default:
			add(h, list)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// add adds a list to a hash.
func add(h hash.Hash, list any) {
	for _, part := range []any{int64(binary.Size(list)), list} {
		if err := binary.Write(h, binary.LittleEndian, part); err != nil {
			panic(err) // a hash takes everything of fixed size
		}
	}
}
