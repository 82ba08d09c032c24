/// A sheet of a store's heat map: the time that beacons spent in each cell of the floor plan, within one UTC hour.
///
/// Cells that fewer than `[site] heat_minimum` different beacons were in are left out. A sheet names no beacon.
package struct HeatSheet: Hashable, Sendable {
    struct Cell: Hashable, Sendable {
        var floor: Int
        /// The middle of the cell. Metres.
        var x_m: Double
        var y_m: Double
        /// The seconds of all beacons together.
        var seconds: Int64
        /// The number of different beacons.
        var beacons: Int64
    }

    /// The most cells of a sheet. An hour with more has several sheets.
    static let maxCells = 500
    /// The most cells of an hour.
    static let maxCellsOfHour = 16_384
    /// The most different beacons of a cell.
    static let beacons: ClosedRange<Int64> = 1...65_536
    /// The longest time of a sheet.
    static let longest = TimeSpan.seconds(3_600)
    static let floors = -100...200
    /// The places of a floor plan, along each axis.
    static let places_m = -100_000.0...100_000.0

    /// The time in which the seconds were spent: an hour, or a part of it.
    var from: WallTime
    var to: WallTime
    /// The number of the sheet among those of this time, from 0 on.
    var page: Int
    var pages: Int
    /// The side of a cell.
    var cell_m: Double
    /// In the order of floor, y and x.
    var cells: [Cell]
    /// Cells that too few beacons were in. The first sheet of a time has them, and the seconds, for all.
    var omittedCells: Int64
    /// The seconds in those cells, and in those beyond a limit of the map; `nil` where they are of too few beacons.
    var omitted_s: Int64?
    /// The seconds of beacons that were listed without a position; `nil` where they are of too few beacons.
    var unplaced_s: Int64?
}

/// `heat`: a sheet of a store's heat map, numbered.
struct HeatPayload: NumberedPayload, Hashable {
    package var head: PayloadHead
    package var origin: PayloadOrigin
    package var epoch: String
    /// The number of the sheet within the epoch, from 1.
    var seq: Int64
    var sheet: HeatSheet

    package var number: MessageNumber { MessageNumber(epoch: epoch, series: .sheets, seq: seq) }
}

extension HeatPayload {
    init(_ head: PayloadHead, _ fields: inout PayloadFields) throws(PayloadError) {
        let (origin, epoch) = (try PayloadOrigin(&fields), try fields.epoch())
        let number: Int64 = try fields.number("sheet")
        let sheet = HeatSheet(
            from: try fields.time("from_at"), to: try fields.time("to_at"),
            page: try fields.integer("page", 0...32), pages: try fields.integer("pages", 1...33),
            cell_m: try fields.number("cell_m", 0.5...100),
            cells: try fields.list("cells") { fields throws(PayloadError) in try HeatSheet.Cell(&fields) },
            omittedCells: try fields.integer("omitted_cells", 0...Int64(HeatSheet.maxCellsOfHour)),
            omitted_s: try fields.integerOrNull("omitted_s"), unplaced_s: try fields.integerOrNull("unplaced_s"))
        guard sheet.from <= sheet.to else { throw PayloadError("to_at", .mustBeOneOf("from_at or later")) }
        guard sheet.to - sheet.from <= HeatSheet.longest else {
            throw PayloadError("to_at", .mustBeOneOf("at most an hour after from_at"))
        }
        guard sheet.page < sheet.pages else { throw PayloadError("page", .mustBeOneOf("less than pages")) }
        guard sheet.cells.count <= HeatSheet.maxCells else {
            throw PayloadError("cells", .tooLong(limit: HeatSheet.maxCells))
        }
        self.init(head: head, origin: origin, epoch: epoch, seq: number, sheet: sheet)
    }

    func write(to json: inout JSONWriter) {
        json.reserve(octets: 320 + sheet.cells.count * 80)
        origin.write(to: &json)
        json.set("epoch", epoch)
        json.set("sheet", seq)
        json.set("from_at", Timestamp.text(sheet.from))
        json.set("to_at", Timestamp.text(sheet.to))
        json.set("page", sheet.page)
        json.set("pages", sheet.pages)
        json.set("cell_m", sheet.cell_m, decimals: 3)
        json.set("cells", objectsFor: sheet.cells) { cell, json in cell.write(to: &json) }
        json.set("omitted_cells", sheet.omittedCells)
        json.set("omitted_s", integer: sheet.omitted_s)
        json.set("unplaced_s", integer: sheet.unplaced_s)
    }
}

extension HeatSheet.Cell {
    fileprivate init(_ fields: inout PayloadFields) throws(PayloadError) {
        self.init(
            floor: try fields.integer("floor", HeatSheet.floors), x_m: try fields.number("x_m", HeatSheet.places_m),
            y_m: try fields.number("y_m", HeatSheet.places_m),
            seconds: try fields.number("seconds"),
            beacons: try fields.integer("beacons", HeatSheet.beacons))
    }

    fileprivate func write(to json: inout JSONWriter) {
        json.set("floor", floor)
        json.set("x_m", x_m, decimals: 3)
        json.set("y_m", y_m, decimals: 3)
        json.set("seconds", seconds)
        json.set("beacons", beacons)
    }
}

extension MessageComposer {
    /// - Parameter number: the sheet's number within the epoch, from 1.
    package func heat(
        _ sheet: HeatSheet, epoch: String, number: Int64, at now: Instant, _ timebase: Timebase
    ) -> NumberedMessage {
        var head = head(at: now, timebase)
        // The map may have read the clock a moment earlier, and no sheet is told before its end.
        head.at = max(head.at, sheet.to)
        let payload = HeatPayload(
            head: head, origin: origin, epoch: epoch, seq: number, sheet: sheet)
        return NumberedMessage(payload, topic: topics.topic(.gateway(.heat)))
    }
}
