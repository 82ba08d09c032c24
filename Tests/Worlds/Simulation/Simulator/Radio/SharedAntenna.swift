@testable import Core

/// A small board's antenna, which radio and Wi-Fi use in turn. Meanwhile the radio hears nothing, and does not report
/// that.
struct SharedAntenna {
    /// The length of a turn.
    private static let turn_s = (0.3, 3.0)

    /// Whether the Wi-Fi is busy at all.
    var isShared = false
    private var chance: Chance
    private var isTaken = false
    private var turnEnds = Instant.origin

    init(seed: UInt64) { chance = Chance(seed: seed, stream: "antenna") }

    /// Whether the radio hears now.
    mutating func hears(at now: Instant) -> Bool {
        guard isShared else { return true }
        while turnEnds <= now {
            isTaken.toggle()
            turnEnds = max(turnEnds, now - .seconds(60)) + chance.span(Self.turn_s.0, Self.turn_s.1)
        }
        return !isTaken
    }
}
