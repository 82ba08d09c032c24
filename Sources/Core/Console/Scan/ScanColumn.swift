/// A column of the table.
struct ScanColumn: Sendable {
    let title: String
    let width: Int
    var alignment = TerminalText.Alignment.right
    let text: @Sendable (ScanSnapshot.Row) -> String

    /// Between two columns.
    static let gap = 1

    /// What a window of `width` columns has room for. The regions take what is left, and have some room at 80.
    package static func all(width: Int, uuids: ShortUUID) -> [ScanColumn] {
        var columns = [width >= 107 ? fullUUID : shortUUID(uuids), major, minor, rssi, distance, proximity, rate, age]
        columns.append(width >= 130 ? address : addressKind)
        let used = columns.reduce(0) { $0 + $1.width + gap }
        return columns + [notes(width: max(0, width - used))]
    }

    /// Everything in full, for lines that are read by a program or from a file.
    static let unlimited = all(width: 240, uuids: .beginning)

    private static let fullUUID = ScanColumn(title: "UUID", width: 36, alignment: .left) {
        $0.beacon.identity.uuid.description
    }

    private static func shortUUID(_ form: ShortUUID) -> ScanColumn {
        ScanColumn(title: "UUID", width: ShortUUID.width, alignment: .left) { form.text($0.beacon.identity.uuid) }
    }

    private static let major = ScanColumn(title: "MAJOR", width: 5) { String($0.beacon.identity.major) }
    private static let minor = ScanColumn(title: "MINOR", width: 5) { String($0.beacon.identity.minor) }

    private static let rssi = ScanColumn(title: "RSSI", width: 4) { row in
        row.beacon.observation.rssi_dbm.map { Figures.fixed($0, decimals: 0) } ?? "-"
    }

    private static let distance = ScanColumn(title: "DIST m", width: 6) { row in
        let observation = row.beacon.observation
        return observation.proximity == .unknown ? "-" : Figures.short(observation.accuracy_m)
    }

    private static let proximity = ScanColumn(title: "PROXIMITY", width: 9, alignment: .left) {
        $0.beacon.observation.proximity.rawValue
    }

    private static let rate = ScanColumn(title: "/s", width: 4) { Figures.fixed($0.rate_hz, decimals: 1) }
    private static let age = ScanColumn(title: "AGE s", width: 5) { Figures.fixed($0.age.seconds, decimals: 1) }

    private static let addressKind = ScanColumn(title: "ADDRESS", width: 7, alignment: .left) {
        AddressKind($0.beacon.address).short
    }

    private static let address = ScanColumn(title: "ADDRESS", width: 25, alignment: .left) {
        "\($0.beacon.address) \(AddressKind($0.beacon.address).short)"
    }

    private static func notes(width: Int) -> ScanColumn {
        ScanColumn(title: "REGIONS", width: width, alignment: .left) { row in
            let flags = [row.beacon.isResolving ? "resolving" : nil, row.beacon.isDuplicate ? "duplicate" : nil]
            return (flags.compactMap(\.self) + row.regions).map(TerminalText.harmless).joined(separator: " ")
        }
    }
}
