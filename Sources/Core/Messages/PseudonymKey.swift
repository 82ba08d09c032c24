/// The secret that pseudonyms are made with, on one UTC day: 256 random bits, and behind them the number of the day in
/// eight octets, the most significant first.
///
/// The next day begins with another one, and this one is forgotten: whoever takes the gateway then can't tell any more
/// whose pseudonyms an earlier day's were, though every address can be tried.
package enum PseudonymKey {
    private static let randomLength = 32

    /// What a new secret is made of, by the kernel's generator.
    package static func random() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<randomLength).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// A secret for the day that `time` is on.
    ///
    /// - Parameter random: 32 octets, as `random()` gives them.
    package static func make(random: [UInt8], at time: WallTime) -> [UInt8] { random + dayOctets(at: time) }

    /// The secret of a store for that day: all its gateways make the same one of the store's secret (HKDF with SHA-256, RFC 5869).
    /// Whoever has one day's secret has not that of another day. `nil` where `Ciphers` fail.
    package static func make(siteKey: [UInt8], at time: WallTime) -> [UInt8]? {
        let day = dayOctets(at: time)
        let purpose = Array("beacond device names".utf8) + day
        return HKDFSHA256.key(from: siteKey, info: purpose, length: randomLength).map { $0 + day }
    }

    /// Whether the secret was made for the day that `time` is on. One of any other form never was.
    package static func serves(_ key: [UInt8], at time: WallTime) -> Bool {
        key.count == randomLength + 8 && key.dropFirst(randomLength).elementsEqual(dayOctets(at: time))
    }

    private static func dayOctets(at time: WallTime) -> [UInt8] {
        let day = UInt64(bitPattern: Timestamp.day(of: time))
        return stride(from: UInt64(56), through: 0, by: -8).map { UInt8(truncatingIfNeeded: day >> $0) }
    }
}
