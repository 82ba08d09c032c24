/// `[[device]]`: a transmitter whose resolving key is known.
struct DeviceTable: SettingsTable {
    static let tableName = "device"
    static let isRepeated = true

    /// Every unknown private address is tried with every key, so they are limited.
    static let maxDevices = 1024

    package let name = Key(
        "name", default: nil,
        Rule<String>.text("1 to 128 bytes without control characters") {
            (1...128).contains($0.utf8.count) && !$0.hasControls
        }.optional, "Your name for it, unique.", defaultNote: "required")
    let irk = Key(
        "irk", default: nil, Rule<[UInt8]>.resolvingKey.optional,
        "Its identity resolving key. A secret: errors do not show it.", defaultNote: "required")

    /// `nil` where something is missing or wrong, which the reader has noted.
    func read(_ reader: inout TableReader, taken: inout [KnownDevice]) -> KnownDevice? {
        let name = reader.required(name)
        let key = reader.required(irk)
        if let name, taken.contains(where: { $0.name == name }) {
            reader.refuse(self.name, name, beside: self.name.name, "must be unique: another [[device]] has this name")
        }
        if let key, let other = taken.first(where: { $0.identityResolvingKey == key }) {
            reader.refuse(
                irk, key, beside: irk.name, "must be unique: device \(other.name.quoted) has the same key")
        }
        guard let name, let key else { return nil }
        let device = KnownDevice(name: name, identityResolvingKey: key)
        taken.append(device)
        return device
    }
}
