/// Counts a store's visits by day and hour, for `today`.
///
/// The counts follow from the outputs of the store's engine. A visit counts by the times of its events, in the hour of its entry; a late exit that corrects
/// the entry moves it. The engine does not report visits that it gives up after `late_after_s`, so they do not count.
///
/// The records of a change go into the transaction of the transitions that made it. So no visit counts twice or is lost in a crash.
package struct StoreToday: Sendable {
    /// The result that a call of `follow` has to have.
    package enum Demand: Sendable {
        /// A report at most once a minute, and only where it changed.
        case asDue
        /// All is stored: the process ends.
        case stored
        /// All is stored, and published where it changed.
        case published
    }

    /// A visit under way.
    struct Visit: Sendable {
        var enteredAt: Instant
        /// Where its entry counts; `nil` where no gateway saw it, or where its region has no place.
        var entry: EntryHour?
        var countsToday: Bool
    }

    struct EntryHour: Hashable, Sendable {
        var day: Int64
        var hour: Int
    }

    /// A region instance that is not outside.
    struct Place: Sendable {
        var state = RegionState.unknown
        var visit: Visit?
    }

    /// The way in which the engine's first outputs count: they go on from what an earlier process stored.
    enum Resumption: Sendable {
        /// The visits are new.
        case none
        /// The day's record has them.
        case sameDay
        /// Visits whose entries count on an earlier day, and which touch this one.
        case otherDay
    }

    static let interval = TimeSpan.seconds(60)
    /// The least time between two reports, of which the second follows a catch-up of gateways.
    static let catchUpInterval = TimeSpan.seconds(10)
    /// The longest time for which a report waits for gateways that report old events.
    static let longestCatchUp = TimeSpan.seconds(60)
    /// The first report waits for what the broker has retained of the gateways.
    static let firstReportAfter = TimeSpan.seconds(5)
    /// Days whose curves are kept.
    static let keptDays: Int64 = 7
    /// A clock that was set back by less does not change the day.
    static let steppedBack = TimeSpan.seconds(3_600)

    let localTime: LocalTime
    /// Regions that are in the report of every day.
    let configured: [String]
    /// How the time of day relates to the engine's clock.
    package var timebase: Timebase
    private var day: LocalDay
    /// How long the store heard in each hour of the day.
    private var heard: [TimeSpan]
    /// The day's visits by region.
    private var counts: [String: DayCounts] = [:]
    /// Curves of earlier days by day and region.
    private(set) var past: [Int64: [String: [Int64]]] = [:]
    /// The sums of the counts of people, in the order of the regions.
    private var people: [PeopleDay]
    /// Visits to regions that have no place.
    private var omitted: Int64 = 0
    private var places: [RegionInstanceID: Place] = [:]
    private var resumption = Resumption.none
    private var isHearing = false
    private var followedAt: Instant
    /// When there may be a report, and when one is looked for without a change.
    private var reportFrom: Instant
    private var lookAt: Instant
    private var published: TodayReport?
    private var reportedAt = Instant.origin
    /// The time since which gateways report what they heard while they were away; `nil` where none does.
    private var catchesUpSince: Instant?
    private var changes = Changes()

    /// The differences from the records on the disk.
    struct Changes: Sendable {
        var regions: Set<String> = []
        var past: Set<PastRecord> = []
        var removedKeys: Set<String> = []
        var people = false
        var day = false

        struct PastRecord: Hashable, Sendable {
            var day: Int64
            var region: String
        }
    }

    /// - Parameter people: the regions of which the store counts people. They have no visits of their own.
    package init(
        _ settings: SiteSettings, _ localTime: LocalTime, people: [String] = [], restoring records: [StoredDays],
        at now: Instant, _ timebase: Timebase
    ) {
        self.localTime = localTime
        self.timebase = timebase
        configured = Array(Set(settings.regions).subtracting(people).sorted().prefix(TodayReport.maxRegions))
        self.people = people.sorted().prefix(TodayReport.maxRegions).map { PeopleDay(region: $0) }
        day = localTime.day(at: timebase.wall(now))
        heard = day.hours.map { _ in .zero }
        followedAt = now
        reportFrom = now + Self.firstReportAfter
        lookAt = reportFrom
        changes.day = true
        restore(records)
        for region in configured { _ = hasRoom(for: region) }
    }

    /// Follows what the engine published since the last call, and adds what is to be stored and published of the day.
    ///
    /// - Parameters:
    ///   - isHearing: whether any gateway of the store hears from now on.
    ///   - isCatchingUp: whether a gateway reports what it heard while it was away. The report waits for it.
    package mutating func follow(
        _ outputs: inout [GatewayOutput], isHearing: Bool, isCatchingUp: Bool, at now: Instant,
        _ demand: Demand = .asDue
    ) {
        pass(to: now)
        let waits = waits(whileCatchingUp: isCatchingUp, at: now)
        for output in outputs { take(output, at: now) }
        resumption = .none
        self.isHearing = isHearing
        let hasNewVisits = !changes.regions.isEmpty || changes.people
        var update = TodayUpdate()
        let isDue = !waits && now >= (hasNewVisits || published == nil ? reportFrom : lookAt)
        if demand == .published || (demand == .asDue && isDue) {
            update.report = newReport(at: now)
            lookAt = now + Self.interval
            if update.report != nil { (reportFrom, reportedAt) = (lookAt, now) }
            changes.day = true
        }
        // A change that waits for its report is looked at again as soon as there may be one.
        if hasNewVisits, update.report == nil { lookAt = min(lookAt, max(reportFrom, now)) }
        guard hasNewVisits || update.report != nil || changes.day || demand != .asDue else { return }
        takeRecords(into: &update)
        outputs.append(.message(update, at: now))
    }

    /// Returns whether a report waits for gateways that catch up. What they have published is reported soon after.
    private mutating func waits(whileCatchingUp isCatchingUp: Bool, at now: Instant) -> Bool {
        if isCatchingUp {
            catchesUpSince = catchesUpSince ?? now
            return catchesUpSince.map { now - $0 < Self.longestCatchUp } ?? false
        }
        guard catchesUpSince != nil else { return false }
        catchesUpSince = nil
        reportFrom = min(reportFrom, max(now, reportedAt + Self.catchUpInterval))
        lookAt = min(lookAt, reportFrom)
        return false
    }

    /// Time passes: the store hears, or a day ends.
    private mutating func pass(to now: Instant) {
        let (from, to) = (timebase.wall(followedAt), timebase.wall(now))
        followedAt = max(followedAt, now)
        if to >= day.to || timebase.isSynced && to + Self.steppedBack < day.from {
            begin(localTime.day(at: to))
            changes.day = true
        }
        guard isHearing, from < to, let last = day.hour(of: to) else { return }
        for hour in (day.hour(of: from) ?? 0)...last {
            let overlap = min(to, day.end(ofHour: hour)) - max(from, day.hours[hour])
            heard[hour] = heard[hour] + max(.zero, overlap)
        }
    }

    private mutating func newReport(at now: Instant) -> TodayReport? {
        let report = report(at: timebase.wall(now), isHearing: isHearing)
        if report == published { return nil }
        published = report
        return report
    }

    private mutating func takeRecords(into update: inout TodayUpdate) {
        defer { changes = Changes() }
        update.records = [
            .day(
                number: day.number, from: day.from,
                heard_s: heard.map { max(0, ($0.microseconds + 500_000) / 1_000_000) }, omitted: omitted)
        ]
        for region in changes.regions.sorted() {
            guard let counts = counts[region] else { continue }
            update.records.append(.today(region: region, number: day.number, counts))
        }
        if changes.people { update.records += people.map { .people(number: day.number, $0) } }
        for record in changes.past.sorted(by: { ($0.day, $0.region) < ($1.day, $1.region) }) {
            guard let entries = past[record.day]?[record.region] else { continue }
            update.records.append(.past(region: record.region, number: record.day, entries: entries))
        }
        let stored = Set(update.records.map(\.key))
        update.removedKeys = changes.removedKeys.subtracting(stored).sorted()
    }
}

/// Visits begin and end.
extension StoreToday {
    private mutating func take(_ output: GatewayOutput, at now: Instant) {
        switch output {
        case .transition(let transition, let record) where transition.instance.zone == nil:
            take(transition, record)
        case .exit(let instance, let event, let at) where instance.zone == nil:
            if let stay = event.lateStay {
                let visit = begin(instance.region, enteredAt: stay.enteredAt, isSeen: stay.beginning != .partial)
                end(visit, of: instance.region, stay, at: at)
            } else if let visit = places.removeValue(forKey: instance)?.visit {
                end(visit, of: instance.region, nil, at: at)
            }
        case .forgotten(let instances, let at):
            for instance in instances {
                if let visit = places.removeValue(forKey: instance)?.visit {
                    end(visit, of: instance.region, nil, at: at)
                }
            }
        case .message(let message, _):
            // A count belongs to the day in which it ends, as in the database.
            guard let count = message.content as? VisitCount, count.to > day.from,
                let index = people.firstIndex(where: { $0.region == count.region })
            else { return }
            people[index].add(count)
            changes.people = true
        default: break
        }
    }

    private mutating func take(_ transition: RegionTransition, _ record: RegionRecord?) {
        let region = transition.instance.region
        var place = places[transition.instance] ?? Place()
        // A region is in the report as soon as it has a state, also before its first visit.
        if hasRoom(for: region), place.state != transition.state { changes.regions.insert(region) }
        place.state = transition.state
        switch transition.state {
        case .unknown: break
        case .inside:
            let enteredAt = record?.stay?.enteredAt ?? transition.since
            let isSeen = record?.stay.map { $0.beginning != .partial } ?? (transition.event != nil)
            if let visit = place.visit {
                place.visit = corrected(visit, of: region, enteredAt: enteredAt, isSeen: isSeen)
            } else {
                place.visit = begin(region, enteredAt: enteredAt, isSeen: isSeen)
            }
        case .outside:
            var stay: RegionStay?
            if case .exit(let published)? = transition.event?.kind { stay = published }
            if let visit = place.visit { end(visit, of: region, stay, at: transition.since) }
            places[transition.instance] = nil
            return
        }
        places[transition.instance] = place
    }

    /// Returns whether a region has a place in the report.
    private mutating func hasRoom(for region: String) -> Bool {
        if counts[region] != nil { return true }
        guard counts.count < TodayReport.maxRegions else { return false }
        counts[region] = DayCounts(hours: day.hours.count)
        changes.regions.insert(region)
        return true
    }

    private mutating func begin(_ region: String, enteredAt: Instant, isSeen: Bool) -> Visit {
        var visit = Visit(enteredAt: enteredAt, countsToday: false)
        guard hasRoom(for: region) else {
            if resumption != .sameDay {
                omitted = min(omitted + 1, StoredDays.most)
                changes.day = true
            }
            return visit
        }
        visit.entry = isSeen ? hour(of: enteredAt) : nil
        visit.countsToday = true
        if resumption == .none { add(1, to: visit.entry, of: region) }
        if resumption != .sameDay { count(1, of: region) }
        return visit
    }

    /// A visit began at another time than was published.
    private mutating func corrected(
        _ visit: Visit, of region: String, enteredAt: Instant, isSeen: Bool
    ) -> Visit {
        var corrected = visit
        corrected.enteredAt = enteredAt
        guard visit.countsToday, enteredAt != visit.enteredAt || isSeen != (visit.entry != nil) else {
            return corrected
        }
        corrected.entry = isSeen ? hour(of: enteredAt) : nil
        if corrected.entry != visit.entry {
            add(-1, to: visit.entry, of: region)
            add(1, to: corrected.entry, of: region)
        }
        return corrected
    }

    /// - Parameter stay: what the exit says; `nil` where none was published.
    private mutating func end(_ visit: Visit, of region: String, _ stay: RegionStay?, at instant: Instant) {
        guard visit.countsToday else { return }
        if let stay {
            _ = corrected(visit, of: region, enteredAt: stay.enteredAt, isSeen: stay.beginning != .partial)
        }
        changes.regions.insert(region)
        let end = timebase.wall(stay?.lastHeardAt ?? instant)
        if end < day.from {
            // It was over before the day began, and the store learns it only now.
            count(-1, of: region)
        } else if let stay, stay.beginning != .partial, stay.ending != .unmonitored {
            counts[region]?.stays.record(stay.dwell)
        }
    }

    private mutating func count(_ change: Int64, of region: String) {
        guard let visits = counts[region]?.visits else { return }
        counts[region]?.visits = min(max(0, visits + change), StoredDays.most)
        changes.regions.insert(region)
    }

    private func hour(of instant: Instant) -> EntryHour? {
        let time = timebase.wall(instant)
        if let hour = day.hour(of: time) { return EntryHour(day: day.number, hour: hour) }
        guard time < day.from else { return EntryHour(day: day.number, hour: day.hours.count - 1) }
        let earlier = localTime.day(at: time)
        return earlier.hour(of: time).map { EntryHour(day: earlier.number, hour: $0) }
    }

    /// Corrects the curve of the day, or of an earlier one that has one.
    private mutating func add(_ change: Int64, to entry: EntryHour?, of region: String) {
        guard let entry else { return }
        if entry.day == day.number, let known = counts[region]?.entries, known.indices.contains(entry.hour) {
            counts[region]?.entries[entry.hour] = min(max(0, known[entry.hour] + change), StoredDays.most)
            changes.regions.insert(region)
        } else if let known = past[entry.day]?[region], known.indices.contains(entry.hour) {
            past[entry.day]?[region]?[entry.hour] = min(max(0, known[entry.hour] + change), StoredDays.most)
            changes.past.insert(Changes.PastRecord(day: entry.day, region: region))
            changes.regions.insert(region)
        }
    }
}

/// Days begin and are restored, and the report of one.
extension StoreToday {
    /// Another day begins. Visits under way touch it.
    private mutating func begin(_ next: LocalDay) {
        for (region, count) in counts {
            past[day.number, default: [:]][region] = count.entries
            changes.past.insert(Changes.PastRecord(day: day.number, region: region))
        }
        let former = Set(counts.keys)
        day = next
        heard = next.hours.map { _ in .zero }
        omitted = 0
        people = people.map { PeopleDay(region: $0.region) }
        removeDays()
        startCounts()
        for region in former where counts[region] == nil {
            changes.removedKeys.insert(StoredDays.today(region: region, number: 0, DayCounts(hours: 0)).key)
        }
        for id in places.keys.sorted(by: { StoredRegion.key($0) < StoredRegion.key($1) }) {
            guard places[id]?.visit != nil else { continue }
            let isCounted = hasRoom(for: id.region)
            places[id]?.visit?.countsToday = isCounted
            if isCounted { counts[id.region]?.visits += 1 } else { omitted += 1 }
        }
    }

    /// The regions that a day begins with: configured ones, and those that had a visit on a kept day.
    private mutating func startCounts() {
        let known = past.values.flatMap { $0.filter { $0.value.contains { $0 > 0 } }.keys }
        let goingOn = places.filter { $0.value.visit != nil }.map(\.key.region)
        counts = [:]
        for region in configured + Set(goingOn).sorted() + Set(known).sorted() { _ = hasRoom(for: region) }
    }

    /// Curves that are too old go, and those of days that are still to come: the clock was set back.
    private mutating func removeDays() {
        let kept = (day.number - Self.keptDays)..<day.number
        for (number, regions) in past where !kept.contains(number) {
            for region in regions.keys {
                changes.removedKeys.insert(StoredDays.past(region: region, number: number, entries: []).key)
            }
            past[number] = nil
        }
    }

    private mutating func restore(_ records: [StoredDays]) {
        var stored: (number: Int64, from: WallTime, heard_s: [Int64], omitted: Int64)?
        var storedCounts: [String: DayCounts] = [:]
        for record in records {
            switch record {
            case .day(let number, let from, let heard_s, let omitted): stored = (number, from, heard_s, omitted)
            case .past(let region, let number, let entries): past[number, default: [:]][region] = entries
            case .people(_, let former):
                if !people.contains(where: { $0.region == former.region }) { changes.removedKeys.insert(record.key) }
            case .today: break
            }
        }
        guard let stored else { return }
        for case .today(let region, stored.number, let counts) in records { storedCounts[region] = counts }
        // A machine without a clock of its own begins in the past, until it has asked for the time.
        if stored.number > day.number, !timebase.isSynced { day = localTime.day(number: stored.number) }
        heard = day.hours.map { _ in .zero }
        if stored.number == day.number, stored.from == day.from {
            resumption = .sameDay
            omitted = stored.omitted
            for (region, count) in storedCounts.sorted(by: { $0.key < $1.key }).prefix(TodayReport.maxRegions)
            where count.entries.count == day.hours.count { counts[region] = count }
            for (hour, seconds) in stored.heard_s.enumerated() where heard.indices.contains(hour) {
                heard[hour] = .seconds(Int(min(seconds, 7_200)))
            }
            for case .people(stored.number, let former) in records {
                if let index = people.firstIndex(where: { $0.region == former.region }) { people[index] = former }
            }
            removeDays()
        } else {
            // In another zone the day begins anew, without a curve of what it was.
            resumption = .otherDay
            for (region, count) in storedCounts { past[stored.number, default: [:]][region] = count.entries }
            changes.past = Set(storedCounts.keys.map { Changes.PastRecord(day: stored.number, region: $0) })
            removeDays()
            startCounts()
            for region in storedCounts.keys where counts[region] == nil {
                changes.removedKeys.insert(StoredDays.today(region: region, number: 0, DayCounts(hours: 0)).key)
            }
        }
    }

    func report(at now: WallTime, isHearing: Bool) -> TodayReport {
        let begun = max(1, day.hours.count { $0 <= now })
        let hours = (0..<begun).map { hour in
            let length = min(now, day.end(ofHour: hour)) - day.hours[hour]
            let share = length < .seconds(1) ? (isHearing ? 1 : 0) : heard[hour].seconds / length.seconds
            return TodayReport.Hour(from: day.hours[hour], heardShare: (min(1, share) * 100).rounded() / 100)
        }
        var present: [String: (inside: Int64, unknown: Int64)] = [:]
        for (id, place) in places {
            var found = present[id.region] ?? (0, 0)
            if place.state == .inside { found.inside += 1 } else { found.unknown += 1 }
            present[id.region] = found
        }
        let regions = counts.sorted { $0.key < $1.key }.map { id, count in
            let found = present[id] ?? (0, 0)
            return TodayReport.Region(
                id: id, visits: count.visits, present: isHearing ? found.inside : nil, unknown: found.unknown,
                medianStay_s: count.stays.median_s, entries: Array(count.entries.prefix(begun)),
                lastWeek: past[day.number - Self.keptDays]?[id])
        }
        return TodayReport(
            day: day.name, timeZone: localTime.name, from: day.from, to: day.to, hours: hours, regions: regions,
            people: people, omitted: omitted)
    }
}
