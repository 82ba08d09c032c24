/// The published form of a device address. The raw value is the word in `config.toml`.
package enum DeviceForm: String, CaseIterable, Sendable {
    /// A keyed pseudonym that changes daily.
    case pseudonym
    case omit
    case raw
}

/// Names devices without publishing their addresses.
///
/// A pseudonym is HMAC-SHA-256 over the UTC day and the address, cut to 64 bits. Without the key, addresses cannot be
/// tested, and no two days can be joined. The key changes daily: see `PseudonymKey`. A known device is named by its
/// configured name, so that it keeps its pseudonym through rotations.
package struct DevicePseudonym: Sendable {
    private let form: DeviceForm
    private var key: [UInt8]
    private let deviceNames: [String]

    /// - Parameters:
    /// - key: a secret of `PseudonymKey`. Any octets where the output stays with the owner of the raw capture.
    /// - deviceNames: the names of the known devices, in the order of their indices.
    package init(form: DeviceForm, key: [UInt8], deviceNames: [String]) {
        self.form = form
        self.key = key
        self.deviceNames = deviceNames
    }

    mutating func replaceKey(_ key: [UInt8]) { self.key = key }

    /// Returns the published name of a device; `nil` for none.
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
            // No name is better than one without a secret.
            return HMACSHA256.code(for: Array(content.utf8), key: key)?.prefix(8).hexadecimal
        }
    }
}

/// The secret of pseudonyms on one UTC day: 256 random bits, and behind them the number of the day in eight octets, the
/// most significant first.
///
/// The next day has another secret, and the agent forgets this one. An attacker who then takes the gateway cannot
/// resolve the pseudonyms of earlier days, even by trying all addresses.
package enum PseudonymKey {
    private static let randomLength = 32

    /// Returns the random part of a new secret, by the kernel's generator.
    package static func random() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<randomLength).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// Returns a secret for the day of `time`.
    ///
    /// - Parameter random: 32 octets, from `random()`.
    package static func make(random: [UInt8], at time: WallTime) -> [UInt8] { random + dayOctets(at: time) }

    /// Returns a store's secret for that day. All its gateways derive the secret from the store's secret (HKDF with
    /// SHA-256, RFC 5869). One day's secret does not give another day's. `nil` where `Ciphers` fail.
    package static func make(siteKey: [UInt8], at time: WallTime) -> [UInt8]? {
        let day = dayOctets(at: time)
        let purpose = Array("beacond device names".utf8) + day
        return HKDFSHA256.key(from: siteKey, info: purpose, length: randomLength).map { $0 + day }
    }

    /// Returns whether the secret was made for the day of `time`. Octets of another form never were.
    package static func serves(_ key: [UInt8], at time: WallTime) -> Bool {
        key.count == randomLength + 8 && key.dropFirst(randomLength).elementsEqual(dayOctets(at: time))
    }

    private static func dayOctets(at time: WallTime) -> [UInt8] {
        let day = UInt64(bitPattern: Timestamp.day(of: time))
        return stride(from: UInt64(56), through: 0, by: -8).map { UInt8(truncatingIfNeeded: day >> $0) }
    }
}

/// Caches today's pseudonyms: one costs as much as the rest of a message, and a beacon in range is named every second.
struct PseudonymCache: Sendable {
    private struct Entry {
        var address: DeviceAddress
        var device: Int?
        var name: String?
    }

    /// The most slots whose names are kept. Those beyond it are named anew each time.
    static let limit = 8_192

    private var day = Int64.min
    /// The last name of each transmitter's slot, which may have another transmitter since.
    private var entries: [Entry?] = []

    /// Returns the name by `pseudonym`; `nil` for none.
    mutating func name(of beacon: RangedBeacon, at time: WallTime, by pseudonym: DevicePseudonym) -> String? {
        let today = Timestamp.day(of: time)
        if day != today {
            entries.removeAll(keepingCapacity: true)
            day = today
        }
        let slot = beacon.transmitter.index
        if slot < entries.count, let known = entries[slot], known.address == beacon.address,
            known.device == beacon.device
        {
            return known.name
        }
        let name = pseudonym.name(of: beacon.address, device: beacon.device, at: time)
        guard slot < Self.limit else { return name }
        while entries.count <= slot { entries.append(nil) }
        entries[slot] = Entry(address: beacon.address, device: beacon.device, name: name)
        return name
    }
}
