/// Counts different numbers in bounded memory: each is one bit of 2²⁰, so 128 KiB tell a million apart, roughly.
///
/// A beacon that is refused is not remembered, and is refused again with its next report: only different ones are many.
/// Two numbers may share a bit, so the count is at most too small: by 3 % at 60,000. The mixing is the same in every
/// process, because a replay has to say the same every time; whoever chooses numbers that share a bit hides from this
/// count, and is still among the refused.
struct DistinctNumbers: Sendable {
    private static let bits: UInt64 = 1 << 20
    /// Empty until something is counted: an ordinary shop refuses nobody.
    private var words: [UInt64] = []

    init() {}

    /// - Returns: whether the number was not there before.
    mutating func insert(_ number: UInt64) -> Bool {
        if words.isEmpty { words = Array(repeating: 0, count: Int(Self.bits / 64)) }
        let bit = Self.mixed(number) % Self.bits
        let (word, mask) = (Int(bit / 64), UInt64(1) << (bit % 64))
        if words[word] & mask != 0 { return false }
        words[word] |= mask
        return true
    }

    mutating func removeAll() { words = [] }

    /// SplitMix64's finisher: each bit depends on every bit of the number.
    private static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = number
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

extension BeaconIdentity {
    /// A number for `DistinctNumbers`, which differs where the identity does.
    var distinctNumber: UInt64 {
        uuid.high ^ uuid.low &* 0x9E37_79B9_7F4A_7C15
            &+ (UInt64(major) << 16 | UInt64(minor)) &* 0xC2B2_AE3D_27D4_EB4F
    }
}
