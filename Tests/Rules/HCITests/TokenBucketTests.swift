import Testing

@testable import Core

@Suite("A rate limit with bursts after a pause")
struct TokenBucketTests {
    private func at(_ milliseconds: Int64) -> Instant { .origin + .milliseconds(milliseconds) }

    @Test("After a pause there is a full bucket, then one token in each interval")
    func rate() {
        var bucket = TokenBucket(interval: .milliseconds(100), burst: 3)
        let taken = (0..<60).map { bucket.take(at: at(10_000 + Int64($0) * 10)) }
        #expect(taken.indices.filter { taken[$0] } == [0, 1, 2, 10, 20, 30, 40, 50])
    }

    @Test("A token taken in advance delays the next one")
    func anyway() {
        var bucket = TokenBucket(interval: .milliseconds(100), burst: 1)
        for _ in 0..<3 { bucket.takeAnyway(at: at(10_000)) }
        #expect(bucket.hasTokenAt == at(10_300))
        let taken = [bucket.take(at: at(10_299)), bucket.take(at: at(10_300))]
        #expect(taken == [false, true])
    }

    @Test("A clock that stands still gives no tokens, and one at its end traps nothing")
    func extremes() {
        var bucket = TokenBucket(interval: .milliseconds(100), burst: 2)
        let taken = (0..<4).map { _ in bucket.take(at: .origin) }
        #expect(taken == [true, true, false, false])
        var last = TokenBucket(interval: .forever, burst: .max)
        let isTaken = last.take(at: .distantFuture)
        #expect(isTaken)
    }
}
