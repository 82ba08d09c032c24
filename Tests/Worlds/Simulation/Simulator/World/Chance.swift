@testable import Core

/// SplitMix64 (Steele, Lea and Flood, 2014): the same numbers from the same seed everywhere.
///
/// Each part of the world has a stream of its own, so that the draws of one part never shift another's.
struct Chance: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64, stream: String) {
        // FNV-1a separates the streams.
        state = stream.utf8.reduce(seed ^ 0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        _ = next()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Evenly spread over 0 ..< 1.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    mutating func happens(_ probability: Double) -> Bool { unit() < probability }

    /// An integer of `range`.
    mutating func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(unit() * Double(range.upperBound - range.lowerBound + 1))
    }

    /// A span between these numbers of seconds.
    mutating func span(_ low_s: Double, _ high_s: Double) -> TimeSpan { .seconds(low_s + (high_s - low_s) * unit()) }

    /// A span on a logarithmic scale: most are short, some are long.
    mutating func spread(_ low_s: Double, _ high_s: Double) -> TimeSpan {
        var span = low_s
        let doublings = number(0...20)
        for _ in 0..<doublings where span * 2 <= high_s && happens(0.75) { span *= 2 }
        return self.span(span, min(span * 2, high_s))
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[number(0...elements.count - 1)]
    }
}
