package stages

import (
	"math/bits"
	"time"
)

const (
	bucketBits = 7 // 128 buckets an octave: a bucket is at most 1/128 of its value wide
	octave     = 1 << bucketBits
	maxBuckets = (48 - bucketBits) * octave // up to 2^47 ns, which is more than a day
)

// gapBuckets counts gaps in buckets whose width grows with their value.
type gapBuckets [maxBuckets]uint32

func (b *gapBuckets) add(d time.Duration) {
	d = min(d, maxDuration)
	if b[bucket(d)] < ^uint32(0) {
		b[bucket(d)]++
	}
}

// bucket is the index of d: d itself below 256 ns, later its leading eight bits after their exponent.
func bucket(d time.Duration) int {
	exp := max(bits.Len64(uint64(d))-bucketBits-1, 0)
	return exp*octave + int(d>>exp)
}

// at is the middle of the bucket that holds the gap of that rank, counted from 0.
func (b *gapBuckets) at(rank int) time.Duration {
	for i, n := range b {
		if rank -= int(n); rank < 0 {
			return middle(i)
		}
	}
	return maxDuration
}

func middle(bucket int) time.Duration {
	if bucket < 2*octave {
		return time.Duration(bucket)
	}
	exp := bucket/octave - 1
	low := time.Duration(bucket-exp*octave) << exp
	return low + time.Duration(1)<<exp/2
}
