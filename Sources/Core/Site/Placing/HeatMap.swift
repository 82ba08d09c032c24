/// Adds up the seconds that beacons spend in each cell of a store's floor plan, by UTC hour, for `heat`.
///
/// The seconds follow from the lists of the store's engine: each names a beacon's position for one second. The map is
/// in memory alone. It tells an hour once the hour is over, and a part of an hour where the process ends. So a second is
/// told once at most, and no identity is stored. Each part of an hour has the minimum of beacons by itself, so that no
/// difference between two sheets shows a cell with fewer.
package struct HeatMap: Sendable {
    /// A cell of the floor plan, in multiples of its side. Ordered by floor, then row by row.
    private struct Cell: Hashable, Comparable {
        let floor: Int
        let x: Int
        let y: Int

        /// Returns `nil` for a place that no floor plan has.
        init?(_ position: BeaconPlace.Position, side_m: Double) {
            let reach_m = HeatSheet.places_m.upperBound - side_m
            guard HeatSheet.floors.contains(position.floor), position.x_m.magnitude <= reach_m,
                position.y_m.magnitude <= reach_m
            else { return nil }
            floor = position.floor
            x = Int((position.x_m / side_m).rounded(.down))
            y = Int((position.y_m / side_m).rounded(.down))
        }

        static func < (left: Cell, right: Cell) -> Bool {
            (left.floor, left.y, left.x) < (right.floor, right.y, right.x)
        }
    }

    /// The number of a cell in the hour, with its time.
    private struct Stay {
        let number: UInt64
        var seconds: Int64 = 0
        var beacons: Int64 = 0
    }

    /// The most cells of an hour.
    static let maxCells = 16_384
    /// The most different beacons of an hour.
    static let maxBeacons = 65_536
    /// The most pairs of a cell and a beacon that was in it.
    static let maxPairs = 524_288
    private static let hour = TimeSpan.seconds(3_600)

    /// How the hours relate to the engine's clock.
    package var timebase: Timebase
    private let side_m: Double
    private let minimum: Int64
    /// The time since which the seconds count.
    private var from: Instant
    private var cells: [Cell: Stay] = [:]
    /// The beacons of the hour, numbered. Several devices of one identity are one beacon: their names may change.
    private var beacons: [BeaconIdentity: UInt64] = [:]
    private var pairs: Set<UInt64> = []
    /// Seconds beyond a limit.
    private var unplaced_s: Int64 = 0
    /// The time of the last list, and the beacons that lists of that time have named. A beacon in several regions is in
    /// the list of each.
    private var listedAt = Instant.origin
    private var listed: Set<TrackID> = []

    /// Returns `nil` where the configuration has no heat map.
    package init?(_ settings: SiteSettings, at now: Instant, _ timebase: Timebase) {
        guard settings.heatCell_m > 0 else { return nil }
        self.timebase = timebase
        side_m = settings.heatCell_m
        minimum = Int64(settings.heatMinimum)
        from = now
    }

    /// Follows the lists that the engine has told since the last call, and adds the sheets of an hour that is over.
    ///
    /// - Parameter isLast: whether the process ends, so that the hour so far is told.
    package mutating func follow(_ outputs: inout [GatewayOutput], at now: Instant, isLast: Bool = false) {
        var sheets: [HeatSheet] = []
        for output in outputs {
            guard case .listed(let list, let at) = output else { continue }
            sheets += pass(to: at)
            note(list, at: at)
        }
        sheets += pass(to: now)
        if isLast, now > from {
            sheets += takeSheets(to: now)
            from = now
        }
        outputs += sheets.map { .heat($0, at: now) }
    }

    /// Returns the sheets of the hour if it is over. Of hours in which the process did not follow, none is told.
    private mutating func pass(to now: Instant) -> [HeatSheet] {
        let end = endOfHour(from)
        guard now >= end else { return [] }
        let sheets = takeSheets(to: end)
        from = max(end, endOfHour(now) - Self.hour)
        return sheets
    }

    private func endOfHour(_ instant: Instant) -> Instant {
        let hours = Self.quotient(timebase.wall(instant).microseconds, Self.hour.microseconds)
        return timebase.instant(WallTime(microseconds: (hours + 1).multipliedSaturating(by: Self.hour.microseconds)))
    }

    private static func quotient(_ value: Int64, _ divisor: Int64) -> Int64 {
        let quotient = value / divisor
        return value % divisor < 0 ? quotient - 1 : quotient
    }

    /// Adds the second of a list to the cells of its beacons.
    private mutating func note(_ list: ListedBeacons, at now: Instant) {
        if now != listedAt {
            listedAt = now
            listed.removeAll(keepingCapacity: true)
        }
        for beacon in list.beacons {
            guard let position = beacon.place?.position, listed.insert(beacon.track).inserted else { continue }
            if !add(beacon.identity, at: position) { unplaced_s += 1 }
        }
    }

    /// Adds a second of a beacon. Returns `false` where a limit leaves it out.
    private mutating func add(_ identity: BeaconIdentity, at position: BeaconPlace.Position) -> Bool {
        guard let cell = Cell(position, side_m: side_m), let number = number(of: identity) else { return false }
        guard cells[cell] != nil || cells.count < Self.maxCells else { return false }
        var stay = cells[cell] ?? Stay(number: UInt64(cells.count))
        let pair = stay.number << 32 | number
        if !pairs.contains(pair) {
            guard pairs.count < Self.maxPairs else { return false }
            pairs.insert(pair)
            stay.beacons += 1
        }
        stay.seconds += 1
        cells[cell] = stay
        return true
    }

    private mutating func number(of identity: BeaconIdentity) -> UInt64? {
        if let known = beacons[identity] { return known }
        guard beacons.count < Self.maxBeacons else { return nil }
        let number = UInt64(beacons.count)
        beacons[identity] = number
        return number
    }

    /// Returns the sheets of the time until then, at least one, and begins anew.
    private mutating func takeSheets(to end: Instant) -> [HeatSheet] {
        var (omittedCells, omitted_s) = (Int64(0), unplaced_s)
        var told: [HeatSheet.Cell] = []
        for (cell, stay) in cells.sorted(by: { $0.key < $1.key }) {
            guard stay.beacons >= minimum else {
                omittedCells += 1
                omitted_s += stay.seconds
                continue
            }
            told.append(
                HeatSheet.Cell(
                    floor: cell.floor, x_m: (Double(cell.x) + 0.5) * side_m, y_m: (Double(cell.y) + 0.5) * side_m,
                    seconds: stay.seconds, beacons: stay.beacons))
        }
        (cells, beacons, pairs, unplaced_s) = ([:], [:], [], 0)
        let pages = max(1, (told.count + HeatSheet.maxCells - 1) / HeatSheet.maxCells)
        let (start, stop) = (timebase.wall(from), timebase.wall(end))
        return (0..<pages).map { page in
            HeatSheet(
                from: start, to: stop, page: page, pages: pages, cell_m: side_m,
                cells: Array(told.dropFirst(page * HeatSheet.maxCells).prefix(HeatSheet.maxCells)),
                omittedCells: page == 0 ? omittedCells : 0, omitted_s: page == 0 ? omitted_s : 0)
        }
    }
}
