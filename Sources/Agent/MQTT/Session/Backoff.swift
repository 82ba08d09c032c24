import Core

/// Growing pauses between attempts: 1 s, doubled each time, at most 60 s.
///
/// Each pause is drawn from the upper half of that (equal jitter), so that the gateways of a chain whose broker
/// restarts do not come back in step. The seed is the caller's: the same seed gives the same pauses.
struct Backoff: Equatable, Sendable {
    private var random: SplitMix64
    private var ceiling = DoublingPause(TimeSpan.seconds(1)...TimeSpan.seconds(60))

    init(seed: UInt64) {
        random = SplitMix64(state: seed)
    }

    /// The pause before the next attempt; the one after it will be longer.
    mutating func next() -> TimeSpan { jittered(ceiling.next()) }

    /// Something between half of `span` and all of it.
    mutating func jittered(_ span: TimeSpan) -> TimeSpan {
        let half = span.microseconds / 2
        guard half > 0 else { return span }
        return TimeSpan(microseconds: half + Int64.random(in: 0...half, using: &random))
    }

    mutating func reset() { ceiling.reset() }
}

/// Sebastiano Vigna's SplitMix64: eight bytes of state, the same numbers on every machine.
private struct SplitMix64: RandomNumberGenerator, Equatable, Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
