extension RadioSettings.Adapter {
    /// Reads `hci0` or `00:1A:7D:DA:71:13`, the digits in either case; `nil` for anything else.
    package init?(name: String) {
        let digits = name.utf8.dropFirst(3)
        if name.hasPrefix("hci"), digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            let index = UInt16(String(name.dropFirst(3)))
        {
            self = .index(index)
            return
        }
        let octets = name.split(separator: ":", omittingEmptySubsequences: false)
        guard octets.count == 6, octets.allSatisfy({ $0.utf8.count == 2 }),
            let address = [UInt8](hexadecimal: octets.joined().utf8)
        else { return nil }
        self = .address(DeviceAddress(bits: address.reduce(0) { $0 << 8 | UInt64($1) }, type: .public))
    }

    /// The name in the file.
    package var name: String {
        switch self {
        case .automatic: "auto"
        case .index(let index): "hci\(index)"
        case .address(let address): "\(address)"
        }
    }

    /// The name in quotation marks, as in the file.
    fileprivate var text: String { "\"\(name)\"" }
}

extension Rule where Value == RadioSettings.Adapter {
    static var adapter: Rule {
        text(
            "\"auto\", \"hci0\" or an address such as \"00:1A:7D:DA:71:13\"",
            read: { Outcome($0 == "auto" ? .automatic : RadioSettings.Adapter(name: $0)) }, write: { $0.text })
    }
}

/// An entry of `adapters`: `"hci0"`, or `{ name = "hci0", rssi_offset_db = -3 }`.
struct ConfiguredAdapter: Hashable, Sendable {
    var adapter: RadioSettings.Adapter
    /// The offset; `nil` for that of `[radio]`.
    var rssiOffset_db: Double?
}

extension ConfiguredAdapter {
    /// Returns `nil` unless the node is a name, or a table with a name and possibly an offset within the limits of
    /// `[radio]`.
    init?(_ node: DocumentValue) {
        switch node {
        case .string(let name):
            guard let adapter = RadioSettings.Adapter(name: name) else { return nil }
            self.init(adapter: adapter)
        case .object(let entries):
            guard case .string(let name)? = entries["name"], let adapter = RadioSettings.Adapter(name: name),
                Set(entries.keys).isSubset(of: ["name", RadioTable.rssiOffset.name])
            else { return nil }
            self.init(adapter: adapter)
            guard let offset = entries[RadioTable.rssiOffset.name] else { return }
            guard case .value(let offset_db) = RadioTable.rssiOffset.rule.read(offset) else { return nil }
            rssiOffset_db = offset_db
        default:
            return nil
        }
    }

    fileprivate var text: String {
        rssiOffset_db.map { "{ name = \(adapter.text), rssi_offset_db = \($0.plain) }" } ?? adapter.text
    }
}

extension Rule where Value == [ConfiguredAdapter] {
    /// A rule for several adapters by name, each with an optional offset.
    static var adapters: Rule {
        let limit = AdapterSelection.maxAdapters
        return Rule(
            type: "a list",
            allowed:
                "a list of 1 to \(limit) different adapters: \"hci0\", an address such as \"00:1A:7D:DA:71:13\", or "
                + "{ name = \"hci0\", rssi_offset_db = -3 }, from -40 to 40",
            read: { node in
                guard case .array(let entries) = node else { return .wrongType }
                let adapters = entries.prefix(limit + 1).compactMap(ConfiguredAdapter.init)
                let isAllowed =
                    (1...limit).contains(entries.count) && adapters.count == entries.count
                    && Set(adapters.map(\.adapter)).count == adapters.count
                return isAllowed ? .value(adapters) : .refused(nil)
            },
            write: { "[" + $0.map(\.text).joined(separator: ", ") + "]" })
    }
}
