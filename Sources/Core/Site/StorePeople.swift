/// The joint count of a store: it joins the reports of people that the gateways seal for it.
///
/// All of it is in memory alone. A visit is forgotten as it ends, which is `leave_after_s` after the last gateway has the person no more,
/// or after the last gateway fell silent. A restart forgets all.
package struct StorePeople: Sendable {
    /// The interval of announcements.
    private static let announced = TimeSpan.seconds(10)
    /// The interval in which zones are found and visits end.
    private static let step = TimeSpan.seconds(1)
    /// The silence after which a gateway's people count as gone.
    private static let silent = TimeSpan.seconds(20)
    /// The time after the store's first announcement in which its gateways begin to report. Whoever is there has entered before.
    private static let starts = TimeSpan.seconds(120)
    /// The time after midnight in which gateways name the people who stay.
    private static let staysNamed = TimeSpan.seconds(60)
    /// The time for which the people of a silent gateway are remembered. With the silence it is below five minutes.
    private static let remembered = TimeSpan.seconds(240)
    /// The age of an announcement beyond which no report with it is taken. A report on time has the last one.
    private static let mostAge_s: UInt32 = 30

    private struct Key: Hashable, Sendable {
        var region: String
        var name: String
    }

    private struct Reporting: Sendable {
        /// The time since which it reports without a break or a restart. It did not see who came before.
        var since: Instant
        var last: Instant
        /// How long its process had counted at the last report. A shorter time shows a restart.
        var counting_ms: Int64
    }

    private let topics: TopicTree
    private let siteKey: [UInt8]
    package let regionIDs: Set<String>
    private let leaveAfter: TimeSpan
    private let mostVisits: Int
    /// The most visits in a minute that one gateway begins; 0 for no limit.
    private let mostEntries: Int
    private let random: @Sendable () -> [UInt8]
    private var gateways: StoreGateways
    private var plan: StorePlan
    private var opener: PeopleOpener
    /// The time of the first announcement that gateways take; `nil` before it.
    private var firstAnnouncedAt: Instant?
    private var keyMadeAt: Instant
    private var keyDay: LocalDay
    /// The number of the latest day that had a key. A clock may be set back over midnight.
    private var latestDay: Int64
    private var announcedAt: Instant?
    private var visits: [Key: PersonVisit] = [:]
    private var reporting: [GatewayIndex: Reporting] = [:]
    private var hearing = GatewaySet()
    /// The gateways that do not report any more, those of this day and those of the day before. While there is one, counts are partial.
    private var missing = (today: GatewaySet(), yesterday: GatewaySet())
    /// The number of people whom each gateway had inside at midnight, and does not name yet under their new names.
    private var staying: [GatewayIndex: Int] = [:]
    /// The people whom a gateway had inside as it fell silent. Their visits have ended, and are not counted again.
    private var lost: [GatewayIndex: (people: Set<Key>, until: Instant)] = [:]
    /// The limit on the people that enter through each gateway.
    private var budgets: [GatewayIndex: EntryBudget] = [:]
    /// The order of the last report of each gateway, for the key at hand.
    private var orders: [GatewayIndex: UInt64] = [:]
    private var inside: [GatewayIndex: Set<Key>] = [:]
    private var counts: PeopleCounts
    private var timebase: Timebase
    private let localTime: LocalTime
    private var stepDue: Instant
    /// Reports that did not open, could not be read, came again or came too late.
    package private(set) var refused: UInt64 = 0

    /// Returns `nil` where the store has no region of people or no secret.
    ///
    /// - Parameters:
    ///   - topics: the store's own.
    ///   - localTime: the store's, by which its days end.
    ///   - random: makes 32 random octets.
    package init?(
        _ site: SiteSettings, _ settings: Settings, _ topics: TopicTree, at now: Instant, _ timebase: Timebase,
        _ localTime: LocalTime = .utc, random: @escaping @Sendable () -> [UInt8] = PseudonymKey.random
    ) {
        let regions = settings.gateway.regions.beacons.filter { region in
            region.isOfPeople && (site.regions.isEmpty || site.regions.contains(region.id))
        }
        guard let siteKey = settings.privacy.siteKey,
            let opener = PeopleOpener(random(), siteKey: siteKey, store: topics.people),
            let counts = PeopleCounts(regions, isDeaf: true, hasZones: true, at: now, timebase, localTime)
        else { return nil }
        (self.topics, self.siteKey, self.random) = (topics, siteKey, random)
        (self.opener, self.counts, self.timebase, self.localTime) = (opener, counts, timebase, localTime)
        regionIDs = Set(regions.map(\.id))
        leaveAfter = site.leaveAfter
        mostVisits = settings.gateway.regions.limits.maxInstances
        mostEntries = settings.gateway.regions.limits.maxNewcomersPerMinute
        gateways = StoreGateways(site.gateways, at: now)
        plan = StorePlan(gateways)
        (keyMadeAt, stepDue) = (now, now)
        keyDay = localTime.day(at: timebase.wall(now))
        latestDay = keyDay.number
    }

    /// The topics of the gateways' reports, and of its own announcements.
    package var filter: String { topics.prefix + "/" + topics.site + "/+/people" }

    package var nextDeadline: Instant { min(stepDue, counts.due) }

    var visitCount: Int { visits.count }

    // MARK: - Reports

    /// Takes a message from the broker, if it is on a topic of reports. A status may be that of a gateway that waits for the key.
    ///
    /// - Parameter payload: `nil` for one that was too long.
    /// - Returns: whether it is on such a topic.
    package mutating func receive(_ topic: String, _ payload: [UInt8]?, at now: Instant) -> Bool {
        if topic == topics.people { return true }
        guard let id = topics.gatewayReporting(on: topic) else {
            if topic.hasSuffix("/status"), topic != topics.status { announcedAt = nil }
            return false
        }
        let age_s = keyAge_s(at: now)
        guard let opened = payload.flatMap({ opener.open($0, on: topic) }),
            opened.age_s <= age_s, age_s - opened.age_s <= Self.mostAge_s,
            let report = try? PeopleReport(decoding: opened.content)
        else {
            refused &+= 1
            return true
        }
        guard let gateway = gateways.index(of: id) else {
            // There is no room for another gateway, and its people are in no count.
            refused &+= 1
            counts.missedEntry()
            return true
        }
        guard opened.order > orders[gateway] ?? 0 else {
            refused &+= 1
            return true
        }
        orders[gateway] = opened.order
        plan.update(gateways)
        take(report, from: gateway, at: now)
        return true
    }

    private mutating func take(_ report: PeopleReport, from gateway: GatewayIndex, at now: Instant) {
        greet(gateway, counting_ms: report.counting_ms, at: now)
        // By the regions, not by the people: a figure that grows while one person is inside would show that person.
        let hasOtherRegion = !regionIDs.isSuperset(of: report.regions)
        if hasOtherRegion { refused &+= 1 }
        if hasOtherRegion || !report.isComplete { counts.missedEntry() }
        var seen: Set<Key> = []
        for person in report.people where regionIDs.contains(person.region) {
            let key = Key(region: person.region, name: person.name)
            let entry = entry(of: person, at: gateway, now)
            guard visits[key] != nil || begin(key, entry, person, at: gateway, now) else { continue }
            if let entry, visits[key]?.mayEnter(at: gateway) == true, takeEntry(at: gateway, now) {
                visits[key]?.enter(at: entry)
                counts.take(.enter, of: person.region)
            }
            visits[key]?.take(person, from: gateway, plan, entry: entry, at: now)
            seen.insert(key)
        }
        // By the limit, not by who comes next: that would show the person.
        if visits.count >= mostVisits || budgets[gateway]?.hasRoom(at: now) == false { counts.missedEntry() }
        let absent = inside[gateway, default: []].subtracting(seen)
        // A gateway that has started again finds its people within seconds. However often it starts, it holds no more than a report has.
        let isResuming =
            seen.count + absent.count <= PeopleReport.most
            && reporting[gateway].map { now - $0.since < Self.silent } ?? false
        if !isResuming { for key in absent { visits[key]?.leave(gateway, at: now) } }
        inside[gateway] = isResuming ? seen.union(absent) : seen
    }

    /// Takes that a gateway reports. Where it begins, or has started again, nothing is known of who came before. The count is partial then
    /// whoever is inside: a mark that depends on people would show one.
    private mutating func greet(_ gateway: GatewayIndex, counting_ms: Int64, at now: Instant) {
        let before = reporting[gateway]
        let goesOn = before.map { counting_ms > $0.counting_ms } ?? false
        let since = goesOn ? before?.since ?? now : now
        reporting[gateway] = Reporting(since: since, last: now, counting_ms: counting_ms)
        if !goesOn { counts.missedEntry() }
        guard before == nil else { return }
        hearing.insert(gateway)
        missing.today.remove(gateway)
        missing.yesterday.remove(gateway)
        counts.hears(isComplete)
    }

    private var isComplete: Bool { missing.today.isEmpty && missing.yesterday.isEmpty }

    /// Returns the entry; `nil` where the gateway did not see it, while it reported and on the store's day.
    private func entry(of person: PeopleReport.Person, at gateway: GatewayIndex, _ now: Instant) -> Instant? {
        let entry = now - .milliseconds(person.entered_ms)
        let isSeen = !person.wasThere && entry >= reporting[gateway]?.since ?? now && entry >= keyMadeAt
        return isSeen ? entry : nil
    }

    /// Begins a visit. Returns `false` where a limit holds it back.
    private mutating func begin(
        _ key: Key, _ entry: Instant?, _ person: PeopleReport.Person, at gateway: GatewayIndex, _ now: Instant
    ) -> Bool {
        guard visits.count < mostVisits else { return false }
        if isStaying(person, at: gateway, now) {
            visits[key] = PersonVisit(.before, at: now)
            return true
        }
        guard takeEntry(at: gateway, now) else { return false }
        let isKnown = lost.values.contains { $0.people.contains(key) }
        let isStart = firstAnnouncedAt.map { now - $0 < Self.starts } ?? true
        if isKnown || (isStart && entry == nil) {
            visits[key] = PersonVisit(.before, at: now)
        } else if let entry {
            visits[key] = PersonVisit(.observed(at: entry), at: now)
            counts.take(.enter, of: person.region)
        } else {
            visits[key] = PersonVisit(.unseen(by: gateway), at: now)
        }
        return true
    }

    /// Returns whether a person is one of those whom the gateway had inside at midnight.
    private mutating func isStaying(_ person: PeopleReport.Person, at gateway: GatewayIndex, _ now: Instant) -> Bool {
        guard now - .milliseconds(person.entered_ms) < keyMadeAt, now - keyMadeAt < Self.staysNamed,
            let people = staying[gateway], people > 0
        else { return false }
        staying[gateway] = people - 1
        return true
    }

    /// Returns whether a gateway may begin one more visit in this minute. Otherwise the store looks at the person again with the next report.
    private mutating func takeEntry(at gateway: GatewayIndex, _ now: Instant) -> Bool {
        var budget = budgets[gateway] ?? EntryBudget(limit: mostEntries)
        let hasRoom = budget.hasRoom(at: now)
        if hasRoom { budget.admit() }
        budgets[gateway] = budget
        return hasRoom
    }

    // MARK: - Time

    /// Does the work that is due: announces the key, ends visits, publishes counts.
    ///
    /// - Parameter timebase: relates instants to the machine's clock; `nil` where that is not known anew.
    package mutating func advance(to now: Instant, _ timebase: Timebase?, outputs: inout [GatewayOutput]) {
        if let timebase, timebase != self.timebase {
            self.timebase = timebase
            counts.follow(timebase, at: now)
        }
        // Visits end with their day before its last count does.
        if now >= min(stepDue, counts.due) {
            stepDue = now + Self.step
            removeSilent(at: now)
            for key in visits.keys { visits[key]?.place(plan, hearing, at: now) }
            endVisits(at: now)
            replaceKey(at: now)
            announce(at: now, &outputs)
        }
        if now >= counts.due { publish(counts.advance(to: now), at: now, &outputs) }
    }

    /// Ends the counting, because the process stops.
    package mutating func stop(at now: Instant, outputs: inout [GatewayOutput]) {
        publish(counts.stop(at: now), at: now, &outputs)
        (visits, inside, reporting, hearing) = ([:], [:], [:], GatewaySet())
    }

    private mutating func removeSilent(at now: Instant) {
        for (gateway, last) in reporting.mapValues(\.last) where now - last > Self.silent {
            reporting[gateway] = nil
            hearing.remove(gateway)
            missing.today.insert(gateway)
            let people = inside.removeValue(forKey: gateway) ?? []
            for key in people { visits[key]?.leave(gateway, at: now) }
            if !people.isEmpty { lost[gateway] = (people, now + Self.remembered) }
            counts.hears(false)
        }
        lost = lost.filter { $0.value.until > now }
    }

    private mutating func endVisits(at now: Instant) {
        for (key, visit) in visits {
            guard let gone = visit.goneSince, now - gone >= leaveAfter else { continue }
            end(visit, key)
        }
    }

    private mutating func end(_ visit: PersonVisit, _ key: Key) {
        visits[key] = nil
        counts.take(.exit(visit.stay), of: key.region)
        if visit.stay.beginning == .observed { counts.take(visit.ways, in: key.region) }
    }

    /// Makes the key of a new day. It is made whoever is inside, so that it shows no person.
    ///
    /// People get other names with it. So their visits end with the day; what follows of them is in no count.
    private mutating func replaceKey(at now: Instant) {
        let wall = timebase.wall(now)
        guard wall < keyDay.from || wall >= keyDay.to,
            let next = PeopleOpener(random(), siteKey: siteKey, store: topics.people)
        else { return }
        for (key, visit) in visits { end(visit, key) }
        // A clock that is set back over midnight makes another key before the people of the last one are named.
        if now - keyMadeAt > Self.staysNamed { staying = [:] }
        staying.merge(inside.mapValues(\.count)) { max($0, $1) }
        (inside, lost) = ([:], [:])
        let day = localTime.day(at: wall)
        if day.number > latestDay {
            latestDay = day.number
            // A gateway that was silent all day is taken to be gone.
            missing = (GatewaySet(), missing.today)
        }
        if !reporting.isEmpty { counts.hears(isComplete) }
        (opener, keyMadeAt, keyDay, announcedAt, orders) = (next, now, day, nil, [:])
    }

    private func keyAge_s(at now: Instant) -> UInt32 { UInt32(clamping: (now - keyMadeAt).microseconds / 1_000_000) }

    private mutating func announce(at now: Instant, _ outputs: inout [GatewayOutput]) {
        guard announcedAt.map({ now - $0 >= Self.announced }) ?? true,
            let payload = opener.announcement(
                age_s: keyAge_s(at: now), at: timebase.isSynced ? timebase.wall(now) : nil)
        else { return }
        announcedAt = now
        if firstAnnouncedAt == nil, timebase.isSynced { firstAnnouncedAt = now }
        outputs.append(.message(PeopleMessage(topic: topics.people, payload: payload), at: now))
    }

    private func publish(_ counts: [VisitCount], at now: Instant, _ outputs: inout [GatewayOutput]) {
        for count in counts { outputs.append(.message(count, at: now)) }
    }
}
