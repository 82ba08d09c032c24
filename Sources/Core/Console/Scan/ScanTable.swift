/// The table of `beacond scan` as lines of text that fit a window.
package struct ScanTable: Sendable {
    /// The window, in columns and lines.
    package struct Size: Hashable, Sendable {
        package var width: Int
        var height: Int

        package init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    /// - Parameter size: the limits of the lines' width and number.
    /// - Returns: the status, then the beacons, and the number of those that do not fit.
    package static func lines(_ snapshot: ScanSnapshot, _ status: ScanStatus, size: Size) -> [String] {
        let head = head(snapshot, status, width: size.width)
        let room = size.height - head.count
        return Array((head + body(snapshot, status, width: size.width, room: room)).prefix(max(0, size.height)))
    }

    /// Returns one line for each beacon, unabridged, without a title.
    package static func plainLines(_ snapshot: ScanSnapshot) -> [String] {
        snapshot.rows.map { line($0, ScanColumn.unlimited) }
    }

    /// The column titles of `plainLines`.
    package static var plainTitle: String { title(ScanColumn.unlimited) }

    /// Returns the time of a line, RFC 3339.
    package static func time(_ time: WallTime) -> String { Timestamp.text(time) }

    /// Returns the status in one line: `hci0 (00:1A:7D:DA:71:13): scanning  214 reports/s  12 beacons  0 rejected`.
    static func summary(_ snapshot: ScanSnapshot, _ status: ScanStatus) -> String {
        let state = status.availability?.rawValue ?? "starting"
        var parts = [
            "\(status.adapters): \(state)", "\(Figures.fixed(snapshot.reportRate_hz, decimals: 0)) reports/s",
            "\(snapshot.beaconCount) beacons", "\(snapshot.rejects.total) rejected",
        ]
        if status.dropped > 0 { parts.append("\(status.dropped) dropped") }
        if snapshot.refusedTransmitters > 0 { parts.append("\(snapshot.refusedTransmitters) refused") }
        return parts.joined(separator: "  ")
    }

    private static func head(_ snapshot: ScanSnapshot, _ status: ScanStatus, width: Int) -> [String] {
        var lines = [TerminalText.cut(summary(snapshot, status), to: width)]
        for text in [status.remedy, status.location?.line ?? "", status.capture, status.notice] where !text.isEmpty {
            lines += TerminalText.wrap(TerminalText.harmless(text), to: width)
        }
        return lines + [""]
    }

    private static func body(
        _ snapshot: ScanSnapshot, _ status: ScanStatus, width: Int, room: Int
    ) -> [String] {
        let rows = snapshot.rows
        guard !rows.isEmpty else {
            return [TerminalText.cut(status.availability == .scanning ? "no iBeacon heard" : "waiting", to: width)]
        }
        let columns = ScanColumn.all(width: width, uuids: ShortUUID.form(for: Set(rows.map(\.beacon.identity.uuid))))
        // One line for the titles, and one for the number of beacons that do not fit.
        let shown = rows.count <= room - 1 ? rows.count : max(0, room - 2)
        var lines = [title(columns)] + rows.prefix(shown).map { line($0, columns) }
        if shown < rows.count { lines.append("… and \(rows.count - shown) more") }
        return lines.map { TerminalText.cut($0, to: width) }
    }

    private static func title(_ columns: [ScanColumn]) -> String {
        join(columns.map { TerminalText.fit($0.title, to: $0.width, $0.alignment) })
    }

    private static func line(_ row: ScanSnapshot.Row, _ columns: [ScanColumn]) -> String {
        join(columns.map { TerminalText.fit($0.text(row), to: $0.width, $0.alignment) })
    }

    private static func join(_ cells: [String]) -> String {
        var line = cells.joined(separator: String(repeating: " ", count: ScanColumn.gap))
        while line.last == " " { line.removeLast() }
        return line
    }
}

struct ScanColumn: Sendable {
    let title: String
    let width: Int
    var alignment = TerminalText.Alignment.right
    let text: @Sendable (ScanSnapshot.Row) -> String

    /// The space between two columns.
    static let gap = 1

    /// Returns the columns that fit into `width`. The regions take the rest, and have some room at 80.
    static func all(width: Int, uuids: ShortUUID) -> [ScanColumn] {
        var columns = [width >= 107 ? fullUUID : shortUUID(uuids), major, minor, rssi, distance, proximity, rate, age]
        columns.append(width >= 130 ? address : addressKind)
        let used = columns.reduce(0) { $0 + $1.width + gap }
        return columns + [notes(width: max(0, width - used))]
    }

    /// All columns unabridged, for lines that are read by a program or from a file.
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
            let flags = [
                row.beacon.statesImplausiblePower ? "power \(row.beacon.measuredPower_dbm)?" : nil,
                row.beacon.isResolving ? "resolving" : nil, row.beacon.isDuplicate ? "duplicate" : nil,
            ]
            return (flags.compactMap(\.self) + row.regions).map(TerminalText.harmless).joined(separator: " ")
        }
    }
}
