import RealModule

/// The numbers of a simulation, by SplitMix64: equal numbers from equal seeds everywhere.
///
/// The standard library's `random(in:using:)` may change its algorithm with the toolchain, so the distributions are
/// here too. (Logarithm and cosine are the C library's; their last bit may differ between two libraries.)
struct RandomStream: Sendable {
    private var generator: SplitMix64

    init(seed: UInt64) { generator = SplitMix64(state: seed) }

    /// Makes the stream of part number `index` of a seed. The draws of one part never shift those of another.
    init(seed: UInt64, index: Int) {
        var parent = RandomStream(seed: seed)
        self.init(seed: parent.next() ^ (UInt64(truncatingIfNeeded: index) &* 0xD1B5_4A32_D192_ED03))
        _ = next()
    }

    mutating func next() -> UInt64 { generator.next() }

    /// Returns a number uniformly distributed over 0 ..< 1, in steps of 2⁻⁵³.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Returns a number uniformly distributed over `range`.
    mutating func uniform(_ range: Range<Double>) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) * unit()
    }

    /// Returns a whole number of 0 ..< `count`; 0 where `count` is below 1.
    mutating func below(_ count: Int) -> Int { Int(unit() * Double(max(1, count))) }

    mutating func chance(_ probability: Double) -> Bool { unit() < probability }

    /// Returns a normally distributed number with mean 0 and standard deviation 1 (Box and Muller).
    mutating func normal() -> Double {
        let radius = (-2 * Double.log(1 - unit())).squareRoot()
        return radius * Double.cos(2 * .pi * unit())
    }

    /// Returns an exponentially distributed number: the waiting time between arrivals at a rate of `1 / mean`.
    mutating func exponential(mean: Double) -> Double { -mean * Double.log(1 - unit()) }
}
