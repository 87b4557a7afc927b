package simd

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// The known answers that come with the authors' Random123.
func TestPhiloxKnownAnswers(t *testing.T) {
	const ones = math.MaxUint32
	for _, c := range []struct {
		counter [4]uint32
		key     [2]uint32
		want    [4]uint32
	}{
		{want: [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[4]uint32{ones, ones, ones, ones}, [2]uint32{ones, ones},
			[4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0},
			[4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		if got := Philox(c.counter, c.key); got != c.want {
			t.Errorf("%x with key %x: %x, want %x", c.counter, c.key, got, c.want)
		}
		eachLevel(t, func(t *testing.T, lv level) { // the answer stands at the place of every lane
			for before := range uint32(9) {
				words, counter := make([]uint32, 64), c.counter
				counter[0] -= before
				philoxWords(lv, words, counter, c.key)
				if got := words[4*before : 4*before+4]; !slices.Equal(got, c.want[:]) {
					t.Errorf("%x with key %x, counter %d: %x, want %x", c.counter, c.key, before, got, c.want)
				}
			}
		})
	}
}

// Words are those of the function, whatever the length; counters wrap in their first word alone.
func TestPhiloxWordsAreThoseOfConsecutiveCounters(t *testing.T) {
	const guardWord = 0x5eed5eed
	eachLevel(t, func(t *testing.T, lv level) {
		rng := newRand(0)
		for n := range 200 {
			for _, first := range []uint32{0, rng.Uint32(), math.MaxUint32 - uint32(n/8)} {
				counter := [4]uint32{first, rng.Uint32(), rng.Uint32(), rng.Uint32()}
				key := [2]uint32{rng.Uint32(), rng.Uint32()}
				whole := slices.Repeat([]uint32{guardWord}, n+2*guardWords)
				philoxWords(lv, whole[guardWords:guardWords+n:guardWords+n], counter, key)
				for i, got := range whole {
					want := uint32(guardWord)
					if at := i - guardWords; at >= 0 && at < n {
						of := counter
						of[0] += uint32(at / 4)
						want = Philox(of, key)[at%4]
					}
					if got != want {
						t.Fatalf("%d words from %x: word %d is %x, want %x", n, counter, i-guardWords, got, want)
					}
				}
			}
		}
	})
}

func TestKeepChoosesByWords(t *testing.T) {
	t.Run("float32", testKeep[float32])
	t.Run("float64", testKeep[float64])
}

func testKeep[T Float](t *testing.T) {
	eachLevel(t, func(t *testing.T, lv level) {
		for n := range 71 {
			for _, least := range []uint32{0, 1, 1 << 31, math.MaxUint32} {
				rng := newRand(n)
				x, y, factor := random[T](rng, n, -2, 2), guard[T](n), T(1/0.7)
				words := make([]uint32, n)
				for i := range words {
					words[i] = rng.Uint32()
					if rng.IntN(4) == 0 {
						words[i] = least - uint32(rng.IntN(2))
					}
					if rng.IntN(8) == 0 {
						x.x[i] = T(math.Inf(-1))
					}
				}
				before := slices.Clone(x.whole)
				keep(lv, y.x, x.x, words, least, factor)
				y.check(t)
				if !slices.Equal(x.whole, before) {
					t.Fatal("the input was overwritten")
				}
				for i, word := range words {
					want := T(0)
					if word >= least {
						want = x.x[i] * factor
					}
					if math.Float64bits(float64(y.x[i])) != math.Float64bits(float64(want)) {
						t.Fatalf("element %d of %d, word %x, least %x: %v, want %v", i, n, word, least, y.x[i], want)
					}
				}
				keep(lv, x.x, x.x, words, least, factor)
				if x.check(t); !slices.Equal(x.x, y.x) {
					t.Fatalf("%d elements in place differ", n)
				}
			}
		}
	})
}

// BenchmarkDropout reports millions of elements a second, on one core, at every level, and how many times those of the
// portable form that is.
func BenchmarkDropout(b *testing.B) {
	b.Run("float32", benchmarkDropout[float32])
	b.Run("float64", benchmarkDropout[float64])
}

func benchmarkDropout[T Float](b *testing.B) {
	const n = 1024
	x, y, words := random[T](newRand(0), n, 0, 1).x, make([]T, n), make([]uint32, n)
	ofPortable := 0.0
	for lv := portable; lv <= supported(); lv++ {
		b.Run(fmt.Sprint(lv), func(b *testing.B) {
			for b.Loop() {
				philoxWords(lv, words, [4]uint32{}, [2]uint32{})
				keep(lv, y, x, words, 1<<31, 2)
			}
			speed := float64(b.N) * n / b.Elapsed().Seconds() / 1e6
			if b.ReportMetric(speed, "Melements/s"); lv == portable {
				ofPortable = speed
			} else if ofPortable > 0 {
				b.ReportMetric(speed/ofPortable, "x-portable")
			}
		})
	}
}
