/// A sheet of a store's heat map: the time that beacons spent in each cell of the floor plan, within one UTC hour.
///
/// Cells that fewer than `[site] heat_minimum` different beacons were in are left out. A sheet names no beacon.
struct HeatSheet: Hashable, Sendable {
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
typealias HeatPayload = NumberedEnvelope<HeatSheet>

extension HeatSheet: NumberedContent {
    static let series = NumberSeries.sheets

    func write(to json: inout JSONWriter) {
        json.reserve(octets: 320 + cells.count * 80)
        json.set("from_at", from)
        json.set("to_at", to)
        json.set("page", page)
        json.set("pages", pages)
        json.set("cell_m", cell_m, decimals: 3)
        json.set("cells", objectsFor: cells) { cell, json in cell.write(to: &json) }
        json.set("omitted_cells", omittedCells)
        json.set("omitted_s", integer: omitted_s)
        json.set("unplaced_s", integer: unplaced_s)
    }
}

extension HeatSheet.Cell {
    fileprivate func write(to json: inout JSONWriter) {
        json.set("floor", floor)
        json.set("x_m", x_m, decimals: 3)
        json.set("y_m", y_m, decimals: 3)
        json.set("seconds", seconds)
        json.set("beacons", beacons)
    }
}

extension HeatSheet: MessageContent {
    package func publication(by composer: inout MessageComposer, _ context: PublicationContext) -> Publication {
        // The map may have read the clock a moment earlier, and no sheet is published before its end.
        composer.publication(of: self, .heat, notBefore: to, context)
    }
}
