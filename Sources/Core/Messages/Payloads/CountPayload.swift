/// The visits of a region of people in one or more quarters of an hour. It names no beacon.
///
/// Every number is 0, or at least `minimum`. `PeopleCount` decides which quarters go together.
struct VisitCount: Hashable, Sendable {
    /// Visits that ended, by their dwell.
    struct Dwell: Hashable, Sendable {
        /// The bound of the cell. Shorter visits of cells with too few are in it too, and longer ones in the last cell.
        var from_s: Int64
        var visits: Int64
    }

    /// Visits in which a person went from one zone of a store to another.
    struct Way: Hashable, Sendable {
        var from: String
        var to: String
    }

    /// The ways of the visits that ended in a day.
    struct Ways: Hashable, Sendable {
        /// The most that are published.
        static let most = 1_000

        var from: WallTime
        /// The ways, the most frequent first.
        var cells: [Cell]

        struct Cell: Hashable, Sendable {
            var way: Way
            var visits: Int64
        }
    }

    /// The shortest dwell of each cell.
    static let bounds_s: [Int64] = [0, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200]
    /// The values that `minimum` may have, as a region's `count_minimum`.
    static let minimums: ClosedRange<Int64> = 1...100

    var region: String
    var from: WallTime
    var to: WallTime
    /// The least number that is published.
    var minimum: Int64
    /// The visits that began; `nil` where they were too few, or none.
    var entered: Int64?
    /// The visits that ended; `nil` where they were too few, or none.
    var left: Int64?
    /// The visits that go on at the end; 0 where they are too few.
    var present: Int64
    /// The dwell of the visits that ended since `dwellFrom`, without empty cells.
    var dwell: [Dwell] = []
    /// `nil` where the dwell comes later.
    var dwellFrom: WallTime?
    /// The ways between zones; `nil` where they come later, and at a gateway.
    var ways: Ways?
    /// The numbers that were left out for good.
    var omitted: Int64 { (entered == nil ? 1 : 0) + (left == nil ? 1 : 0) }
    /// True if the gateway did not hear all of the time.
    var isPartial: Bool
}

/// `count`: the visits of a region of people, numbered.
typealias CountPayload = NumberedEnvelope<VisitCount>

extension VisitCount: NumberedContent {
    static let series = NumberSeries.counts

    func write(to json: inout JSONWriter) {
        json.set("region", region)
        json.set("from_at", from)
        json.set("to_at", to)
        json.set("minimum", minimum)
        json.set("entered", integer: entered)
        json.set("left", integer: left)
        json.set("present", present)
        if let dwellFrom { json.set("dwell_from_at", dwellFrom) }
        json.set("dwell", objectsFor: dwell) { cell, json in
            json.set("from_s", cell.from_s)
            json.set("visits", cell.visits)
        }
        if let ways {
            json.set("ways_from_at", ways.from)
            json.set("ways", objectsFor: ways.cells) { cell, json in
                json.set("from", cell.way.from)
                json.set("to", cell.way.to)
                json.set("visits", cell.visits)
            }
        }
        json.set("omitted", omitted)
        json.set("partial", isPartial)
    }
}

extension VisitCount: MessageContent {
    package func publication(by composer: inout MessageComposer, _ context: PublicationContext) -> Publication {
        // The count may have read the clock a moment earlier, and none is published before its end.
        composer.publication(of: self, .count, notBefore: to, context)
    }
}
