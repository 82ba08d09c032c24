/// In which form a device address leaves the gateway. The raw value is the word in `config.toml`.
package enum DeviceForm: String, CaseIterable, Sendable {
    /// A keyed pseudonym that changes daily.
    case pseudonym
    case omit
    case raw
}

/// Names devices without giving their addresses away.
///
/// HMAC-SHA-256 over the UTC day and the address, cut to 64 bits: who does not have the key can't try addresses, and no
/// two days can be put together. The key changes with the day: see `PseudonymKey`. A known device is named by its name, so
/// that it keeps its pseudonym through rotation.
package struct DevicePseudonym: Sendable {
    private let form: DeviceForm
    private var key: [UInt8]
    private let deviceNames: [String]

    /// - Parameters:
    ///   - key: secret, from `PseudonymKey`, or any octets where what is written stays with who has the raw capture.
    ///   - deviceNames: the names of the known devices, in the order of their indices.
    package init(form: DeviceForm, key: [UInt8], deviceNames: [String]) {
        self.form = form
        self.key = key
        self.deviceNames = deviceNames
    }

    /// From now on names are made with another key.
    mutating func replaceKey(_ key: [UInt8]) { self.key = key }

    /// What to publish for a device; `nil` for nothing.
    package func name(of address: DeviceAddress, device: Int?, at time: WallTime) -> String? {
        switch form {
        case .omit: return nil
        case .raw: return address.description
        case .pseudonym:
            var content = String(Timestamp.day(of: time)) + "|"
            if let device, deviceNames.indices.contains(device) {
                content += "name|" + deviceNames[device]
            } else {
                content += "address|\(address.type.rawValue)|" + address.description
            }
            // Better no name than one that can be tried.
            guard let code = HMACSHA256.code(for: Array(content.utf8), key: key) else { return nil }
            return code.prefix(8).reduce(into: "") { text, octet in
                if octet < 0x10 { text += "0" }
                text += String(octet, radix: 16)
            }
        }
    }
}

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

/// Remembers today's pseudonyms: to make one costs as much as all the rest of a message, and a beacon in range is named every
/// second.
struct PseudonymCache: Sendable {
    private struct Entry: Hashable {
        package var address: DeviceAddress
        package var device: Int?
    }

    /// More are forgotten, all at once: what is in range is soon in there again.
    package static let limit = 8_192

    private var day = Int64.min
    private var names: [Entry: String] = [:]

    /// What `pseudonym` says; `nil` for nothing.
    mutating func name(
        of address: DeviceAddress, device: Int?, at time: WallTime, by pseudonym: DevicePseudonym
    ) -> String? {
        let today = Timestamp.day(of: time)
        if day != today || names.count >= Self.limit {
            names.removeAll(keepingCapacity: true)
            day = today
        }
        let entry = Entry(address: address, device: device)
        if let known = names[entry] { return known }
        let name = pseudonym.name(of: address, device: device, at: time)
        names[entry] = name
        return name
    }
}
