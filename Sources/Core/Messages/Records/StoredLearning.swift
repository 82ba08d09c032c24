/// The record of what a store has learned of one gateway, so that it outlives the process. JSON.
package struct StoredLearning: Hashable, Sendable {
    /// A link on which the gateway hears another one.
    struct Link: Hashable, Sendable {
        var sender: String
        var quarters: [Quarter]
    }

    /// The usual level of a link in one quarter of the day.
    struct Quarter: Hashable, Sendable {
        /// The number of the quarter, 0 to 3.
        var number: Int
        var level_dbm: Double
        var scatter_db: Double
        var days: Int
    }

    /// The difference to another gateway, from beacons that both hear.
    struct Difference: Hashable, Sendable {
        var other: String
        var difference_db: Double
        var days: Int
    }

    /// The state of a gateway whose links have changed.
    struct Suspect: Hashable, Sendable {
        /// The beginning of the first quarter with the change.
        var since: WallTime
        /// The last change, dB.
        var change_db: Double
        var reason: LearnedReport.Reason
        /// The score of the latest quarters in a row.
        var score: Double
        var isNamed = false
        /// The quarters in a row without a change.
        var usualQuarters = 0
    }

    struct Offset: Hashable, Sendable {
        var offset_db: Double
        var plusMinus_db: Double
        var links: Int
    }

    /// A place on the plan. What was learned at another place does not count.
    struct Place: Hashable, Sendable {
        var x_m: Double
        var y_m: Double
        var floor: Int
    }

    var id: String
    var since: WallTime
    var place: Place?
    var offset: Offset?
    var suspect: Suspect?
    var links: [Link] = []
    /// The levels of beacons that pass: `sender` is the gateway that hears them best.
    var passing: [Link] = []
    var differences: [Difference] = []

    /// The most gateways of a store.
    private static let most = 64

    package var key: String { Self.key(of: id) }

    static func key(of id: String) -> String { RecordPrefix.learning.key(id) }

    /// Reads what `encoded` wrote; `nil` for any other record, and for one that is damaged.
    package init?(_ octets: [UInt8], key: String) {
        guard let id = RecordPrefix.learning.name(ofKey: key), octets.count <= 1 << 20,
            var fields = try? PayloadFields(octets), let read = try? StoredLearning(&fields, id: id)
        else { return nil }
        self = read
    }

    init(id: String, since: WallTime) { (self.id, self.since) = (id, since) }
}

extension StoredLearning {
    private static let levels_dbm = -200.0...200.0, metres = -10_000.0...10_000.0

    package var encoded: [UInt8] {
        var json = JSONWriter()
        write(to: &json)
        return json.finish()
    }

    private func write(to json: inout JSONWriter) {
        json.set("since", since)
        if let place {
            json.set("place") { json in
                json.set("x_m", place.x_m, decimals: 3)
                json.set("y_m", place.y_m, decimals: 3)
                json.set("floor", place.floor)
            }
        }
        if let offset {
            json.set("offset") { json in
                json.set("offset_db", offset.offset_db, decimals: 2)
                json.set("plus_minus_db", offset.plusMinus_db, decimals: 2)
                json.set("links", offset.links)
            }
        }
        if let suspect {
            json.set("suspect") { json in
                json.set("since", suspect.since)
                json.set("change_db", suspect.change_db, decimals: 2)
                json.set("reason", suspect.reason)
                json.set("score", suspect.score, decimals: 2)
                json.set("named", suspect.isNamed)
                json.set("usual_quarters", suspect.usualQuarters)
            }
        }
        json.set("links", objectsFor: links, write: Self.write)
        json.set("passing", objectsFor: passing, write: Self.write)
        json.set("differences", objectsFor: differences) { difference, json in
            json.set("other", difference.other)
            json.set("difference_db", difference.difference_db, decimals: 2)
            json.set("days", difference.days)
        }
    }

    private static func write(_ link: Link, to json: inout JSONWriter) {
        json.set("sender", link.sender)
        json.set("quarters", objectsFor: link.quarters) { quarter, json in
            json.set("number", quarter.number)
            json.set("level_dbm", quarter.level_dbm, decimals: 2)
            json.set("scatter_db", quarter.scatter_db, decimals: 2)
            json.set("days", quarter.days)
        }
    }

    private static func link(_ fields: inout PayloadFields) throws(PayloadError) -> Link {
        Link(
            sender: try fields.text("sender"),
            quarters: try fields.list("quarters") { fields throws(PayloadError) in
                Quarter(
                    number: try fields.integer("number", 0...3),
                    level_dbm: try fields.number("level_dbm", Self.levels_dbm),
                    scatter_db: try fields.number("scatter_db", 0...200),
                    days: try fields.integer("days", 1...1_000))
            })
    }

    private init(_ fields: inout PayloadFields, id: String) throws(PayloadError) {
        self.init(id: id, since: try fields.time("since"))
        place = try fields.objectIfPresent("place") { fields throws(PayloadError) in
            Place(
                x_m: try fields.number("x_m", Self.metres), y_m: try fields.number("y_m", Self.metres),
                floor: try fields.integer("floor", -100...200))
        }
        offset = try fields.objectIfPresent("offset") { fields throws(PayloadError) in
            Offset(
                offset_db: try fields.number("offset_db", Self.levels_dbm),
                plusMinus_db: try fields.number("plus_minus_db", 0...200),
                links: try fields.integer("links", 0...Self.most))
        }
        suspect = try fields.objectIfPresent("suspect") { fields throws(PayloadError) in
            Suspect(
                since: try fields.time("since"), change_db: try fields.number("change_db", Self.levels_dbm),
                reason: try fields.word("reason"), score: try fields.number("score", 0...1_000),
                isNamed: try fields.boolean("named"), usualQuarters: try fields.integer("usual_quarters", 0...100))
        }
        links = try fields.list("links", Self.link)
        passing = try fields.list("passing", Self.link)
        differences = try fields.list("differences") { fields throws(PayloadError) in
            Difference(
                other: try fields.text("other"), difference_db: try fields.number("difference_db", Self.levels_dbm),
                days: try fields.integer("days", 1...1_000))
        }
    }
}
