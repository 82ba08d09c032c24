import Core

/// Names of epochs in the form of a ULID: 48 bits of milliseconds since 1970 and 80 random bits in Crockford's base 32,
/// 26 characters, so that names sort by the time an epoch began and no two outboxes share one.
enum EpochName {
    private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    static func make(at time: WallTime, using generator: inout any RandomNumberGenerator) -> String {
        let milliseconds = UInt64(max(time.microseconds, 0)) / 1_000 & 0xFFFF_FFFF_FFFF
        let high = UInt64.random(in: 0..<(1 << 40), using: &generator)
        let low = UInt64.random(in: 0..<(1 << 40), using: &generator)
        return text(milliseconds, digits: 10) + text(high, digits: 8) + text(low, digits: 8)
    }

    private static func text(_ value: UInt64, digits count: Int) -> String {
        String((0..<count).reversed().map { digits[Int(value >> UInt64(5 * $0) & 31)] })
    }
}
