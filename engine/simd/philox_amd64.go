package simd

// philoxWords is PhiloxWords at a level.
func philoxWords(lv level, words []uint32, counter [4]uint32, key [2]uint32) {
	lanes := 8 // counters side by side
	if lv == avx2 {
		lanes = 4
	}
	groups := len(words) / (4 * lanes)
	if lv == portable || groups == 0 {
		portablePhiloxWords(words, counter, key)
		return
	}
	var keys [2 * philoxRounds]uint32
	for r := range philoxRounds {
		keys[2*r], keys[2*r+1] = key[0], key[1]
		key[0] += philoxLeft
		key[1] += philoxRight
	}
	if lv == avx512 {
		philoxAVX512(groups, &words[0], &counter[0], &keys[0])
	} else {
		philoxAVX2(groups, &words[0], &counter[0], &keys[0])
	}
	counter[0] += uint32(groups * lanes)
	portablePhiloxWords(words[4*lanes*groups:], counter, [2]uint32{keys[0], keys[1]})
}

// keep is Keep at a level.
func keep[T Float](lv level, y, x []T, words []uint32, least uint32, factor T) {
	n := len(y)
	if lv == portable || n == 0 {
		portableKeep(y, x, words, least, factor)
		return
	}
	py, px, pw := &y[0], &x[0], &words[0]
	switch {
	case isFloat32[T]() && lv == avx512:
		keepF32AVX512(n, ptr32(py), ptr32(px), pw, least, float32(factor))
	case isFloat32[T]():
		keepF32AVX2(n, ptr32(py), ptr32(px), pw, least, float32(factor))
	case lv == avx512:
		keepF64AVX512(n, ptr64(py), ptr64(px), pw, least, float64(factor))
	default:
		keepF64AVX2(n, ptr64(py), ptr64(px), pw, least, float64(factor))
	}
}
