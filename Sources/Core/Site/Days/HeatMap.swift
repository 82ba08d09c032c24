/// Adds up the seconds that beacons spend in each cell of a store's floor plan, by UTC hour, for `heat`.
///
/// The seconds follow from the lists of the store's engine: each names a beacon's position for one second. The map is
/// in memory alone. It publishes an hour once the hour is over, and a part of an hour where the process ends. So a second is
/// published once at most, and no identity is stored. No figure of seconds is about fewer beacons than the minimum: that of a
/// cell, that of all cells left out together, and that of the beacons without a position. Each part of an hour has the
/// minimum by itself, so that no difference between two sheets shows fewer.
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
        var beacons = 0
    }

    /// Seconds outside all cells, with as many different beacons as the minimum asks for.
    private struct Rest {
        private(set) var seconds: Int64 = 0
        private(set) var beacons: Set<BeaconIdentity> = []

        mutating func add(_ identity: BeaconIdentity, enough: Int) {
            seconds += 1
            if beacons.count < enough { beacons.insert(identity) }
        }
    }

    static let maxCells = HeatSheet.maxCellsOfHour
    /// The most different beacons of an hour.
    static let maxBeacons = Int(HeatSheet.beacons.upperBound)
    /// The most pairs of a cell and a beacon that was in it.
    static let maxPairs = 524_288

    /// How the hours relate to the engine's clock.
    package var timebase: Timebase
    private let side_m: Double
    private let minimum: Int
    private var hours: HeatHours
    private var cells: [Cell: Stay] = [:]
    /// The beacons of the hour, numbered. Several devices of one identity are one beacon: their names may change.
    private var beacons: [BeaconIdentity: UInt64] = [:]
    private var pairs: Set<UInt64> = []
    /// Seconds beyond a limit.
    private var beyond = Rest()
    /// Seconds of beacons that were listed without a position.
    private var unplaced = Rest()
    /// The time of the last list, and the beacons that lists of that time have named. A beacon in several regions is in
    /// the list of each.
    private var listedAt = Instant.origin
    private var listed: Set<TrackID> = []

    /// Returns `nil` where the configuration has no heat map.
    package init?(_ settings: SiteSettings, at now: Instant, _ timebase: Timebase) {
        guard settings.heatCell_m > 0 else { return nil }
        self.timebase = timebase
        side_m = settings.heatCell_m
        minimum = settings.heatMinimum
        hours = HeatHours(at: now, timebase)
    }

    /// Follows the lists that the engine has published since the last call, and adds the sheets of an hour that is over.
    ///
    /// - Parameter isLast: whether the process ends, so that the hour so far is published.
    package mutating func follow(_ outputs: inout [GatewayOutput], at now: Instant, isLast: Bool = false) {
        var sheets: [HeatSheet] = []
        for output in outputs {
            guard case .message(_, let at) = output, let list = output.content(ListedBeacons.self) else { continue }
            sheets += pass(to: at)
            record(list, at: at)
        }
        sheets += pass(to: now)
        if isLast, let (from, to) = hours.stop(at: now, timebase) {
            sheets += takeSheets(from: from, to: to)
        }
        outputs += sheets.map { .message($0, at: now) }
    }

    /// Returns the sheets of the hour if it is over.
    private mutating func pass(to now: Instant) -> [HeatSheet] {
        switch hours.pass(to: now, timebase) {
        case .goesOn: return []
        case .publishes(let from, let to): return takeSheets(from: from, to: to)
        case .drops:
            clear()
            return []
        }
    }

    /// Adds the second of a list to the cells of its beacons.
    private mutating func record(_ list: ListedBeacons, at now: Instant) {
        if now != listedAt {
            listedAt = now
            listed.removeAll(keepingCapacity: true)
        }
        for beacon in list.beacons {
            guard listed.insert(beacon.track).inserted else { continue }
            guard let position = beacon.place?.position else {
                unplaced.add(beacon.identity, enough: minimum)
                continue
            }
            if !add(beacon.identity, at: position) { beyond.add(beacon.identity, enough: minimum) }
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

    /// Returns the sheets of that time, at least one, and begins anew.
    private mutating func takeSheets(from: WallTime, to: WallTime) -> [HeatSheet] {
        var omitted: Set<UInt64> = []
        var omitted_s = beyond.seconds
        var published: [HeatSheet.Cell] = []
        for (cell, stay) in cells.sorted(by: { $0.key < $1.key }) {
            guard stay.beacons >= minimum else {
                omitted.insert(stay.number)
                omitted_s += stay.seconds
                continue
            }
            published.append(
                HeatSheet.Cell(
                    floor: cell.floor, x_m: (Double(cell.x) + 0.5) * side_m, y_m: (Double(cell.y) + 0.5) * side_m,
                    seconds: stay.seconds, beacons: Int64(stay.beacons)))
        }
        let isOmittedShown = omitted_s == 0 || beacons(in: omitted) >= minimum
        let isUnplacedShown = unplaced.seconds == 0 || unplaced.beacons.count >= minimum
        let pages = max(1, (published.count + HeatSheet.maxCells - 1) / HeatSheet.maxCells)
        var sheets = (0..<pages).map { page in
            HeatSheet(
                from: from, to: to, page: page, pages: pages, cell_m: side_m,
                cells: Array(published.dropFirst(page * HeatSheet.maxCells).prefix(HeatSheet.maxCells)),
                omittedCells: 0, omitted_s: 0, unplaced_s: 0)
        }
        sheets[0].omittedCells = Int64(omitted.count)
        sheets[0].omitted_s = isOmittedShown ? omitted_s : nil
        sheets[0].unplaced_s = isUnplacedShown ? unplaced.seconds : nil
        clear()
        return sheets
    }

    /// Returns the number of different beacons in those cells and beyond a limit, or at least as many as the minimum.
    private func beacons(in omitted: Set<UInt64>) -> Int {
        var numbers: Set<UInt64> = []
        for pair in pairs where omitted.contains(pair >> 32) { numbers.insert(pair & UInt64(UInt32.max)) }
        var withoutNumber = 0
        for identity in beyond.beacons {
            if let number = beacons[identity] { numbers.insert(number) } else { withoutNumber += 1 }
        }
        return numbers.count + withoutNumber
    }

    private mutating func clear() { (cells, beacons, pairs, beyond, unplaced) = ([:], [:], [], Rest(), Rest()) }
}
