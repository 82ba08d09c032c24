@testable import Core

// Readers of payloads that the agent writes and does not read.

extension MessageKind {
    /// The type of its payloads.
    package var payload: any ReadablePayload.Type {
        switch self {
        case .status: StatusPayload.self
        case .health: HealthPayload.self
        case .coverage: CoveragePayload.self
        case .surge: SurgePayload.self
        case .heat: HeatPayload.self
        case .count: CountPayload.self
        case .gap: GapPayload.self
        case .event: EventPayload.self
        case .state: StatePayload.self
        case .ranging: RangingPayload.self
        case .location: LocationPayload.self
        case .track: TrackPayload.self
        case .today: TodayPayload.self
        case .learned: LearnedPayload.self
        case .zones: ZonesPayload.self
        case .settings: SettingsPayload.self
        case .beacons: BeaconsPayload.self
        case .response: ResponsePayload.self
        }
    }
}

extension Coverage: ReadableContent {
    public init(_ fields: inout PayloadFields) throws(PayloadError) {
        self.init(from: try fields.time("from_at"), to: try fields.time("to_at"), radio: try fields.radio())
        guard from <= to else { throw PayloadError("to_at", .mustBeOneOf("from_at or later")) }
    }
}

extension Surge: ReadableContent {
    public init(_ fields: inout PayloadFields) throws(PayloadError) {
        self.init(
            from: try fields.time("from_at"), to: try fields.time("to_at"), region: try fields.text("region"),
            refused: try fields.number("refused"), identities: try fields.number("identities"))
        guard from <= to else { throw PayloadError("to_at", .mustBeOneOf("from_at or later")) }
        guard identities <= refused else { throw PayloadError("identities", .mustBeOneOf("\(refused) or less")) }
    }
}

extension GapPayload: ReadablePayload {
    public init(_ head: PayloadHead, _ fields: inout PayloadFields) throws(PayloadError) {
        let origin = try PayloadOrigin(&fields)
        let epoch = try fields.epoch()
        let series = NumberSeries.allCases.first { fields.has($0.gapKeys.from) } ?? .events
        let (from, to): (Int64, Int64) = (try fields.number(series.gapKeys.from), try fields.number(series.gapKeys.to))
        guard from <= to else { throw PayloadError("\(series.gapKeys.to)", .mustBeOneOf("\(from) or more")) }
        self.init(
            head: head, origin: origin, epoch: epoch, series: series, numbers: from...to,
            cause: try fields.text("cause"))
    }
}

extension HeatSheet: ReadableContent {
    public init(_ fields: inout PayloadFields) throws(PayloadError) {
        self.init(
            from: try fields.time("from_at"), to: try fields.time("to_at"),
            page: try fields.integer("page", 0...32), pages: try fields.integer("pages", 1...33),
            cell_m: try fields.number("cell_m", 0.5...100),
            cells: try fields.list("cells") { fields throws(PayloadError) in try Cell(&fields) },
            omittedCells: try fields.integer("omitted_cells", 0...Int64(Self.maxCellsOfHour)),
            omitted_s: try fields.integerOrNull("omitted_s"), unplaced_s: try fields.integerOrNull("unplaced_s"))
        guard from <= to else { throw PayloadError("to_at", .mustBeOneOf("from_at or later")) }
        guard to - from <= Self.longest else {
            throw PayloadError("to_at", .mustBeOneOf("at most an hour after from_at"))
        }
        guard page < pages else { throw PayloadError("page", .mustBeOneOf("less than pages")) }
        guard cells.count <= Self.maxCells else { throw PayloadError("cells", .tooLong(limit: Self.maxCells)) }
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
}

extension LearnedPayload: ReadablePayload {
    public init(_ head: PayloadHead, _ fields: inout PayloadFields) throws(PayloadError) {
        let decibels = -200.0...200.0
        let gateways = try fields.list("gateways") { fields throws(PayloadError) in
            LearnedReport.Gateway(
                id: try fields.text("id"), rssiOffset_db: try fields.number("rssi_offset_db", decibels),
                plusMinus_db: try fields.number("plus_minus_db", 0...200), links: try fields.integer("links", 0...63),
                since: try fields.time("since"))
        }
        let suspects = try fields.list("suspects") { fields throws(PayloadError) in
            LearnedReport.Suspect(
                id: try fields.text("id"), since: try fields.time("since"),
                change_db: try fields.number("change_db", decibels), reason: try fields.word("reason"))
        }
        guard gateways.count <= SiteSettings.maxGateways, suspects.count <= SiteSettings.maxGateways else {
            throw PayloadError("gateways", .tooLong(limit: SiteSettings.maxGateways))
        }
        self.init(head: head, report: LearnedReport(gateways: gateways, suspects: suspects))
    }
}

extension VisitCount: ReadableContent {
    public init(_ fields: inout PayloadFields) throws(PayloadError) {
        self.init(
            region: try fields.level("region"), from: try fields.time("from_at"), to: try fields.time("to_at"),
            minimum: try fields.integer("minimum", Self.minimums), entered: try fields.integerOrNull("entered"),
            left: try fields.integerOrNull("left"), present: try fields.integer("present"),
            dwell: try fields.list("dwell") { fields throws(PayloadError) in
                Dwell(from_s: try fields.integer("from_s"), visits: try fields.number("visits"))
            },
            dwellFrom: fields.has("dwell_from_at") ? try fields.time("dwell_from_at") : nil,
            ways: fields.has("ways") ? try Ways(&fields) : nil,
            isPartial: try fields.boolean("partial"))
        guard from < to else { throw PayloadError("to_at", .mustBeOneOf("later than from_at")) }
        guard dwell.allSatisfy({ Self.bounds_s.contains($0.from_s) }) else {
            throw PayloadError("from_s", .mustBeOneOf("a bound of dwell"))
        }
        let numbers =
            [entered, left, present].compactMap(\.self) + dwell.map(\.visits) + (ways?.cells ?? []).map(\.visits)
        guard numbers.allSatisfy({ $0 == 0 || $0 >= minimum }) else {
            throw PayloadError("minimum", .mustBeOneOf("at most each number"))
        }
        guard try fields.integer("omitted") == omitted else {
            throw PayloadError("omitted", .mustBeOneOf("\(omitted)"))
        }
    }
}

extension VisitCount.Ways {
    fileprivate init(_ fields: inout PayloadFields) throws(PayloadError) {
        self.init(
            from: try fields.time("ways_from_at"),
            cells: try fields.list("ways") { fields throws(PayloadError) in
                let way = VisitCount.Way(from: try fields.level("from"), to: try fields.level("to"))
                return Cell(way: way, visits: try fields.number("visits"))
            })
    }
}

extension TodayPayload: ReadablePayload {
    public init(_ head: PayloadHead, _ fields: inout PayloadFields) throws(PayloadError) {
        let day = try fields.text("day")
        guard Timestamp.time(day + "T00:00:00.000Z") != nil else {
            throw PayloadError("day", .mustBeOneOf("a date such as 2026-11-23"))
        }
        var report = TodayReport(
            day: day, timeZone: try fields.text("time_zone"), from: try fields.time("from_at"),
            to: try fields.time("to_at"),
            hours: try fields.list("hours") { fields throws(PayloadError) in
                TodayReport.Hour(from: try fields.time("from_at"), heardShare: try fields.number("heard_share", 0...1))
            },
            regions: try fields.list("regions") { fields throws(PayloadError) in try TodayReport.Region(&fields) },
            omitted: try fields.integer("omitted"))
        if fields.has("people") {
            report.people = try fields.list("people") { fields throws(PayloadError) in
                PeopleDay(
                    region: try fields.level("region"), entered: try fields.integer("entered"),
                    left: try fields.integer("left"), present: try fields.integer("present"),
                    omitted: try fields.integer("omitted"), isPartial: try fields.boolean("partial"),
                    to: fields.has("to_at") ? try fields.time("to_at") : nil)
            }
        }
        guard report.from < report.to else { throw PayloadError("to_at", .mustBeOneOf("later than from_at")) }
        guard 1...TodayReport.maxHours ~= report.hours.count else {
            throw PayloadError("hours", .mustBeOneOf("1 to \(TodayReport.maxHours)"))
        }
        guard report.regions.count <= TodayReport.maxRegions else {
            throw PayloadError("regions", .tooLong(limit: TodayReport.maxRegions))
        }
        guard report.regions.allSatisfy({ $0.entries.count == report.hours.count }) else {
            throw PayloadError("regions", .mustBeOneOf("such that entries has a number for each of hours"))
        }
        self.init(head: head, report: report)
    }
}

extension TodayReport.Region {
    init(_ fields: inout PayloadFields) throws(PayloadError) {
        self.init(
            id: try fields.level("region"), visits: try fields.integer("visits"),
            present: try fields.integerOrNull("present"), unknown: try fields.integer("unknown"),
            medianStay_s: try fields.integerOrNull("median_stay_s"),
            entries: try fields.integers("entries", limit: TodayReport.maxHours),
            lastWeek: try fields.integersOrNull("last_week", limit: TodayReport.maxHours))
    }
}

extension LocationPayload: ReadablePayload {
    public init(_ head: PayloadHead, _ fields: inout PayloadFields) throws(PayloadError) {
        self.init(
            head: head, service: try fields.word("service"),
            fix: try fields.object("fix") { fields throws(PayloadError) in try Fix(&fields) },
            age_s: try fields.number("age_s", 0...1e12), device: try fields.textIfPresent("device"))
    }
}

extension SettingsPayload: ReadablePayload {
    public init(_ head: PayloadHead, _ fields: inout PayloadFields) throws(PayloadError) {
        self.init(
            head: head,
            report: try SettingsReport(&fields), digest: try fields.text("digest"))
    }
}

extension ResponsePayload: ReadablePayload {
    public init(_ head: PayloadHead, _ fields: inout PayloadFields) throws(PayloadError) {
        let request = try fields.text("request")
        let result =
            try fields.boolean("ok")
            ? try fields.object("result") { fields throws(PayloadError) in try Result(&fields, request) }
            : try fields.object("error") { fields throws(PayloadError) in
                Result.refused(RequestError(try fields.word("code"), try fields.text("text")))
            }
        self.init(head: head, request: request, result: result)
    }
}

extension ResponsePayload.Result {
    fileprivate init(_ fields: inout PayloadFields, _ request: String) throws(PayloadError) {
        switch RequestVerb(rawValue: request) {
        case .state:
            let states = try fields.list("states") { fields throws(PayloadError) in try ListedState(&fields) }
            self = .states(states, next: try fields.integerIfPresent("next"))
        case .range: self = .ranging(try ListedBeacons(&fields))
        case .monitor: self = .monitoring(region: try fields.level("region"))
        case .stop: self = .stopped(region: try fields.level("region"), instances: try fields.integer("instances"))
        case .location:
            let fix = try fields.object("fix") { fields throws(PayloadError) in try Fix(&fields) }
            self = .location(fix, age_s: try fields.number("age_s", 0...1e12))
        case nil: throw PayloadError("", .mustBeOneOf("of a request that there is"))
        }
    }
}

extension ListedState {
    fileprivate init(_ fields: inout PayloadFields) throws(PayloadError) {
        self.init(
            instance: try fields.instance(), state: try fields.word("state"), since: try fields.time("since"),
            eventSeq: try fields.integer("event_seq"))
    }
}
