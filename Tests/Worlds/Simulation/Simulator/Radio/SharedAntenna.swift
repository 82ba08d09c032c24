@testable import Core

/// The antenna of a small board's radio, which its Wi-Fi takes by turns: what is sent meanwhile is not heard, and nobody says so.
struct SharedAntenna {
    /// How long one of the two has it.
    private static let turn_s = (0.3, 3.0)

    /// Whether the Wi-Fi is busy at all.
    var isShared = false
    private var chance: Chance
    private var isTaken = false
    private var turnEnds = Instant.origin

    init(seed: UInt64) { chance = Chance(seed: seed, stream: "antenna") }

    /// Whether the radio hears what is sent now.
    mutating func hears(at now: Instant) -> Bool {
        guard isShared else { return true }
        while turnEnds <= now {
            isTaken.toggle()
            turnEnds = max(turnEnds, now - .seconds(60)) + chance.span(Self.turn_s.0, Self.turn_s.1)
        }
        return !isTaken
    }
}
