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
