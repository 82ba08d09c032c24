import HCI

extension RadioSettings.Adapter {
    /// `hci0` or `00:1A:7D:DA:71:13`, the digits in either case; `nil` for anything else.
    public init?(name: String) {
        let digits = name.utf8.dropFirst(3)
        if name.hasPrefix("hci"), digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            let index = UInt16(String(name.dropFirst(3)))
        {
            self = .index(index)
            return
        }
        let octets = name.split(separator: ":", omittingEmptySubsequences: false)
        guard octets.count == 6 else { return nil }
        var bits: UInt64 = 0
        for octet in octets {
            guard octet.utf8.count == 2, octet.allSatisfy(\.isHexDigit), let value = UInt8(octet, radix: 16) else {
                return nil
            }
            bits = bits << 8 | UInt64(value)
        }
        self = .address(DeviceAddress(bits: bits, type: .public))
    }

    /// As it stands in the file.
    fileprivate var text: String {
        switch self {
        case .automatic: "\"auto\""
        case .index(let index): "\"hci\(index)\""
        case .address(let address): "\"\(address)\""
        }
    }
}

extension Rule where Value == RadioSettings.Adapter {
    static var adapter: Rule {
        Rule(
            type: "text", allowed: "\"auto\", \"hci0\" or an address such as \"00:1A:7D:DA:71:13\"",
            read: { node in
                guard case .string(let name) = node else { return .wrongType }
                if name == "auto" { return .value(.automatic) }
                return RadioSettings.Adapter(name: name).map { .value($0) } ?? .refused(nil)
            },
            write: { $0.text })
    }
}

extension Rule where Value == [RadioSettings.Adapter] {
    /// Several adapters by name.
    static var adapters: Rule {
        let limit = 8
        return Rule(
            type: "a list",
            allowed:
                "a list of 1 to \(limit) different adapters, each \"hci0\" or an address such as \"00:1A:7D:DA:71:13\"",
            read: { node in
                guard case .array(let names) = node else { return .wrongType }
                var adapters: [RadioSettings.Adapter] = []
                for name in names.prefix(limit + 1) {
                    guard case .string(let text) = name else { return .refused(nil) }
                    guard let adapter = RadioSettings.Adapter(name: text) else { return .refused(nil) }
                    adapters.append(adapter)
                }
                let isAllowed = (1...limit).contains(adapters.count) && Set(adapters).count == adapters.count
                return isAllowed ? .value(adapters) : .refused(nil)
            },
            write: { "[" + $0.map(\.text).joined(separator: ", ") + "]" })
    }
}
