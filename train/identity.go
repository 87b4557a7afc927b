package train

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"
)

// identity says what a training depends on, for its checkpoints.
func (r *Run) identity(described any) map[string]string {
	options, err := json.Marshal(described)
	if err != nil {
		options = []byte(err.Error()) // numbers that JSON has not are refused by Check
	}
	data := sha256.New()
	if named, ok := r.Examples.Graphs.(interface{ Digest() string }); ok {
		digest(data, []byte(named.Digest()))
	} else if b := r.Examples.Whole(); b != nil {
		digest(data, b.Offsets, b.RowPtr, b.Col, b.Labels, b.Attributes)
	}
	digest(data, wide(r.Examples.Targets.Classes), r.Examples.Targets.Values)
	parts := sha256.New()
	for _, items := range [][]int{r.Train, r.Validation} {
		digest(parts, wide(items))
	}
	return map[string]string{
		"data": hex.EncodeToString(data.Sum(nil)), "parts": hex.EncodeToString(parts.Sum(nil)),
		"options": string(options),
	}
}

// digest adds lists of numbers to a hash, each after its length.
func digest(h hash.Hash, lists ...any) {
	for _, list := range lists {
		if err := binary.Write(h, binary.LittleEndian, int64(binary.Size(list))); err != nil {
			panic(err) // a hash takes everything
		}
		if err := binary.Write(h, binary.LittleEndian, list); err != nil {
			panic(err)
		}
	}
}

func wide(items []int) []int64 {
	out := make([]int64, len(items))
	for i, v := range items {
		out[i] = int64(v)
	}
	return out
}
