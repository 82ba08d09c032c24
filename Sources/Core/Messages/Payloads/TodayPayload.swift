/// A store's day so far.
struct TodayReport: Hashable, Sendable {
    struct Hour: Hashable, Sendable {
        var from: WallTime
        /// The share of the hour, so far, in which the store could hear, 0 to 1.
        var heardShare: Double
    }

    struct Region: Hashable, Sendable {
        var id: String
        /// Visits that touch the day so far.
        var visits: Int64
        /// Instances that are inside now; `nil` while the store can't hear.
        var present: Int64?
        /// Instances whose state is unknown.
        var unknown: Int64
        /// Of the stays that ended today, seconds; `nil` without any.
        var medianStay_s: Int64?
        /// Visits that began in each hour, by `hours`.
        var entries: [Int64]
        /// The entries of all hours of the same weekday a week before; `nil` where the store does not know them.
        var lastWeek: [Int64]?
    }

    /// The most regions in a report.
    static let maxRegions = 64
    /// Hours of a day, at most.
    static let maxHours = 26

    /// The store's date: `2026-11-23`.
    var day: String
    /// The zone's IANA name as configured; empty for that of the machine.
    var timeZone: String
    var from: WallTime
    var to: WallTime
    /// The hours that have begun.
    var hours: [Hour]
    /// In the order of their ids.
    var regions: [Region]
    /// The regions of people, in the order of their ids.
    var people: [PeopleDay] = []
    /// Visits to regions beyond `maxRegions`.
    var omitted: Int64
}

/// A change of a store's days: what is to be stored, and from time to time what is to be published.
struct TodayUpdate: Hashable, Sendable {
    var records: [StoredDays] = []
    /// Keys of records that the store needs no more.
    var removedKeys: [String] = []
    /// `nil` where there is only something to store.
    var report: TodayReport?
}

/// `today`: a store's day so far.
struct TodayPayload: Payload, Hashable {
    var head: PayloadHead
    var report: TodayReport
}

extension TodayPayload {
    func write(to json: inout JSONWriter) {
        json.set("day", report.day)
        json.set("time_zone", report.timeZone)
        json.set("from_at", report.from)
        json.set("to_at", report.to)
        json.set("hours", objectsFor: report.hours) { hour, json in
            json.set("from_at", hour.from)
            json.set("heard_share", hour.heardShare, decimals: 2)
        }
        json.set("regions", objectsFor: report.regions) { region, json in region.write(to: &json) }
        if !report.people.isEmpty {
            json.set("people", objectsFor: report.people) { day, json in
                json.set("region", day.region)
                json.set("entered", day.entered)
                json.set("left", day.left)
                json.set("present", day.present)
                json.set("omitted", day.omitted)
                json.set("partial", day.isPartial)
                if let to = day.to { json.set("to_at", to) }
            }
        }
        json.set("omitted", report.omitted)
    }
}

extension TodayReport.Region {
    func write(to json: inout JSONWriter) {
        json.set("region", id)
        json.set("visits", visits)
        json.set("present", integer: present)
        json.set("unknown", unknown)
        json.set("median_stay_s", integer: medianStay_s)
        json.set("entries", integers: entries)
        if let lastWeek { json.set("last_week", integers: lastWeek) } else { json.set("last_week", integer: nil) }
    }
}

extension TodayUpdate: MessageContent {
    /// No reader waits for a report that only shows for how long the store has heard.
    package var handling: OutputHandling {
        OutputHandling(shedding: .never, commit: report == nil && records.count < 2 ? .eventually : .soon)
    }

    /// The visits that the records count are in the same transaction.
    package func publication(by composer: inout MessageComposer, _ context: PublicationContext) -> Publication {
        var publication = Publication([])
        if let report {
            let payload = TodayPayload(head: composer.head(at: context.instant, context.timebase), report: report)
            let topic = composer.topics.topic(.gateway(.today))
            publication.items = [.retained(composer.message(.today, on: topic, payload.encoded))]
        }
        publication.records = records.map { ($0.key, $0.encoded) }
        publication.removedKeys = removedKeys
        return publication
    }
}
