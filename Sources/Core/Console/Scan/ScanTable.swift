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

    /// - Parameter size: lines are no wider, and there are no more of them.
    /// - Returns: the status, then the beacons, and how many more there are where not all of them fit.
    package static func lines(_ snapshot: ScanSnapshot, _ status: ScanStatus, size: Size) -> [String] {
        let head = head(snapshot, status, width: size.width)
        let room = size.height - head.count
        return Array((head + body(snapshot, status, width: size.width, room: room)).prefix(max(0, size.height)))
    }

    /// One line for each beacon, everything in full, without a title.
    package static func plainLines(_ snapshot: ScanSnapshot) -> [String] {
        snapshot.rows.map { line($0, ScanColumn.unlimited) }
    }

    /// What stands above the columns of `plainLines`.
    package static var plainTitle: String { title(ScanColumn.unlimited) }

    /// When a line was printed, RFC 3339.
    package static func time(_ time: WallTime) -> String { Timestamp.text(time) }

    /// The status in one line: `hci0 (00:1A:7D:DA:71:13): scanning  214 reports/s  12 beacons  0 rejected`.
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
        // One line for the titles, and one for the count of those that do not fit.
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
