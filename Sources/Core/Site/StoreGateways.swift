/// A gateway of the store: its index in `StoreGateways`, 0 to 63.
struct GatewayIndex: Hashable, Comparable, Sendable {
    private let octet: UInt8

    var number: Int { Int(octet) }

    init(_ number: Int) { octet = UInt8(clamping: number) }

    static func < (left: GatewayIndex, right: GatewayIndex) -> Bool { left.number < right.number }
}

/// A set of the store's gateways, one bit each.
struct GatewaySet: Hashable, Sendable {
    private var bits: UInt64 = 0

    init() {}

    var isEmpty: Bool { bits == 0 }

    func contains(_ gateway: GatewayIndex) -> Bool { bits & bit(gateway) != 0 }

    mutating func insert(_ gateway: GatewayIndex) { bits |= bit(gateway) }

    mutating func remove(_ gateway: GatewayIndex) { bits &= ~bit(gateway) }

    /// The gateway with the lowest index; `nil` for an empty set.
    var first: GatewayIndex? { isEmpty ? nil : GatewayIndex(bits.trailingZeroBitCount) }

    func subtracting(_ others: GatewaySet) -> GatewaySet {
        var left = self
        left.bits &= ~others.bits
        return left
    }

    private func bit(_ gateway: GatewayIndex) -> UInt64 { 1 << UInt64(gateway.number & 63) }
}

/// The gateways of the store, and which of them can hear.
package struct StoreGateways: Sendable {
    package struct Gateway: Sendable {
        package var settings: SiteSettings.Gateway
        var isListed: Bool
        /// The last status; `nil` before the first. Until then the gateway counts as one that hears, because there is
        /// no other evidence.
        var status: Status?
        /// True if its clock was synced in its last message.
        package var isClockSynced = true
        /// The last message; `nil` before the first.
        var lastArrival: Instant?
        /// The time by which its clock is ahead of the store's, as its last message showed; `nil` before such a
        /// message.
        var clockOffset: TimeSpan?
        /// The time from which it is known not to hear; `nil` while it hears.
        fileprivate(set) var deafSince: Instant?
        /// The last time at which it was announced as offline; `nil` for never.
        fileprivate(set) var offlineAt: Instant?
        /// The time up to which it has reported its events.
        var progress = GatewayProgress()
        /// The epoch of its last online status; `nil` before such a status.
        fileprivate(set) var epoch: String?
        fileprivate(set) var epochs = EpochTimes()
        /// The time by which it has to repeat, in its epoch, what it had inside in an earlier one; `distantFuture`
        /// where it has done so.
        fileprivate(set) var restatedDue = Instant.distantFuture

        /// The time since which its line is down, or it is stopped; `nil` while it is online.
        var awaySince: Instant? { status?.isOnline == false ? offlineAt : nil }
    }

    /// The content of a gateway's last `status`.
    struct Status: Hashable, Sendable {
        var isOnline: Bool
        var radio: CoveredRadio

        /// True if it hears. A gateway that is offline or blind proves nothing.
        var hears: Bool { isOnline && radio.hears }
    }

    /// The time from the start of the store, or of a gateway, within which the gateway's retained messages arrive.
    static let firstMessageWithin = TimeSpan.seconds(30)

    package private(set) var all: [Gateway] = []
    private var indexOfID: [String: GatewayIndex] = [:]
    /// The gateways that can hear, as far as is known.
    private(set) var hearing = GatewaySet()
    /// The configured gateways without a message so far.
    private var silent = GatewaySet()
    private let startedAt: Instant

    init(_ listed: [SiteSettings.Gateway], at now: Instant = .origin) {
        startedAt = now
        for settings in listed {
            if let gateway = add(settings, isListed: true) { silent.insert(gateway) }
        }
    }

    var indices: some RandomAccessCollection<GatewayIndex> { all.indices.lazy.map { GatewayIndex($0) } }

    subscript(gateway: GatewayIndex) -> Gateway {
        get { all[gateway.number] }
        _modify {
            defer { if all[gateway.number].lastArrival != nil { silent.remove(gateway) } }
            yield &all[gateway.number]
        }
    }

    /// Returns the gateways that a store waits for after its start: a beacon may be at one of them.
    func awaited(at now: Instant) -> GatewaySet { now - startedAt <= Self.firstMessageWithin ? silent : GatewaySet() }

    /// Returns the index of a gateway, which it gets with its first message; `nil` for more than 64 gateways.
    mutating func index(of id: String) -> GatewayIndex? {
        if let known = indexOfID[id] { return known }
        return add(SiteSettings.Gateway(id: id), isListed: false)
    }

    private mutating func add(_ settings: SiteSettings.Gateway, isListed: Bool) -> GatewayIndex? {
        guard all.count < SiteSettings.maxGateways else { return nil }
        let index = GatewayIndex(all.count)
        all.append(Gateway(settings: settings, isListed: isListed))
        indexOfID[settings.id] = index
        hearing.insert(index)
        return index
    }

    /// The time up to which all gateways have reported their events, as far as is known.
    struct Reported {
        /// The time up to which all events have been reported.
        var until: Instant
        /// The delay after which a later exit is checked again; `latest` limits it.
        fileprivate var delay: TimeSpan
        /// The time at which the next list of a gateway is overdue. A list that comes before is checked at once.
        fileprivate var earliest: Instant
        fileprivate var latest: Instant

        /// Makes a value for gateways that have reported all events until `now`.
        init(everythingUntil now: Instant) { self.init(until: now, delay: .zero) }

        fileprivate init(
            until: Instant, delay: TimeSpan, earliest: Instant = .origin, latest: Instant = .distantFuture
        ) {
            (self.until, self.delay, self.earliest, self.latest) = (until, delay, earliest, latest)
        }

        /// Returns when an exit that is too early to be published is checked again.
        func look(at exit: Instant) -> Instant { min(max(exit + delay, earliest), latest) }
    }

    /// Returns the time up to which all gateways have reported their events.
    ///
    /// - Parameter lateAfter: the age from which a gateway's message changes nothing anyway.
    func reported(at now: Instant, lateAfter: TimeSpan) -> Reported {
        let caughtUpAt = caughtUpAt(now)
        if caughtUpAt > now { return Reported(until: now - lateAfter, delay: lateAfter, latest: caughtUpAt) }
        let transit = all.map(\.progress.transit).max() ?? .zero
        let overdue = all.map { $0.progress.listOverdueAt(now) }.max() ?? now
        // One that lists beacons has reported its events until its last message, because its line may be down since.
        let until = all.map { $0.progress.reportedUntil(now) }.min() ?? now
        return Reported(until: until, delay: transit, earliest: overdue)
    }

    /// Returns when all gateways will have reported everything, as far as is known now; `distantFuture` while one is away.
    ///
    /// - Parameter others: gateways that do not count.
    func caughtUpAt(_ now: Instant, but others: GatewaySet = GatewaySet()) -> Instant {
        var due = now
        for (number, gateway) in all.enumerated() where gateway.lastArrival != nil {
            if others.contains(GatewayIndex(number)) { continue }
            if gateway.awaySince != nil { return .distantFuture }
            due = max(due, gateway.progress.catchesUpUntil)
            if gateway.progress.owesList(at: now) { due = max(due, gateway.progress.owesUntil) }
        }
        return due
    }

    /// Returns when a gateway will have reported its old events, as far as is known now. While its line may be down again,
    /// that is looked at anew.
    func caughtUpAt(_ gateway: GatewayIndex, at now: Instant) -> Instant {
        let progress = self[gateway].progress
        let isUp = self[gateway].awaySince == nil && progress.hasSpoken(since: progress.catchesUpUntil, at: now)
        return isUp ? progress.catchesUpUntil : max(progress.catchesUpUntil, now + Arrival.eventPatience)
    }

    /// The first deadline of a gateway for repeating an earlier epoch's stays.
    private(set) var restatedDue = Instant.distantFuture

    /// Starts the time in which a gateway has to repeat the stays of an earlier epoch. It runs while the gateway hears.
    mutating func awaitRestatement(of gateway: GatewayIndex, at now: Instant) {
        let waits = all[gateway.number].epoch != nil && hearing.contains(gateway)
        all[gateway.number].restatedDue = waits ? now + Self.firstMessageWithin : .distantFuture
        restatedDue = all.map(\.restatedDue).min() ?? .distantFuture
    }

    /// A gateway whose time for repeating an earlier epoch's stays has ended, with its present epoch.
    struct Restated {
        var index: GatewayIndex
        var epoch: String
        var begin: Instant
    }

    /// Returns the next gateway whose time has ended.
    mutating func takeRestated(at now: Instant) -> Restated? {
        guard let number = all.indices.first(where: { all[$0].restatedDue <= now }) else { return nil }
        all[number].restatedDue = .distantFuture
        restatedDue = all.map(\.restatedDue).min() ?? .distantFuture
        guard let epoch = all[number].epoch, let begin = all[number].epochs.beginning(of: epoch) else { return nil }
        return Restated(index: GatewayIndex(number), epoch: epoch, begin: begin)
    }

    /// Takes what a message shows of its gateway's clock and epoch.
    ///
    /// - Parameter showsClock: whether its time is the time of sending.
    mutating func receive(_ message: GatewayMessage, of gateway: GatewayIndex, _ arrival: Arrival, showsClock: Bool) {
        guard let head = message.head else { return }
        self[gateway].isClockSynced = head.isClockSynced
        self[gateway].lastArrival = arrival.now
        if showsClock, !arrival.isLate { self[gateway].clockOffset = arrival.stated - arrival.now }
        guard let epoch = message.epoch else { return }
        self[gateway].epochs.take(epoch, arrival)
        guard case .status = message.content, self[gateway].epoch != epoch else { return }
        self[gateway].epoch = epoch
        self[gateway].progress.beginEpoch()
    }

    /// Takes a status.
    ///
    /// - Returns: whether its ability to hear has changed.
    mutating func receive(_ status: Status, of gateway: GatewayIndex, at now: Instant) -> Bool {
        let could = hearing.contains(gateway)
        let wasOnline = all[gateway.number].status?.isOnline ?? true
        all[gateway.number].status = status
        if !status.isOnline {
            all[gateway.number].offlineAt = now
        } else if all[gateway.number].offlineAt != nil, !wasOnline {
            // The gateway now reports the events of the time in between.
            all[gateway.number].progress.catchUp(at: now)
        }
        guard status.hears != could else { return false }
        if status.hears { hearing.insert(gateway) } else { hearing.remove(gateway) }
        all[gateway.number].deafSince = status.hears ? nil : now
        return true
    }
}

/// The times that a gateway's messages show of its last epochs.
struct EpochTimes: Sendable {
    private struct Epoch: Sendable {
        var name: String
        /// The time in its name; `nil` for a name of another form.
        var named: Instant?
        /// The first and the last time of any event.
        var first: Instant
        var last: Instant
    }

    private static let most = 4

    private var known: [Epoch] = []

    /// Takes the time of an event, or of a connection, in an epoch.
    mutating func take(_ name: String, _ arrival: Arrival) {
        let instant = arrival.event
        if let index = known.firstIndex(where: { $0.name == name }) {
            known[index].first = min(known[index].first, instant)
            known[index].last = max(known[index].last, instant)
            return
        }
        if known.count == Self.most { known.removeFirst() }
        let named = EpochTime.beginning(ofEpoch: name).map(arrival.instant)
        known.append(Epoch(name: name, named: named, first: instant, last: instant))
    }

    /// Returns the beginning of an epoch: the time in its name, where that lies after the epochs before and not after its
    /// own first event; otherwise the first event's time. Returns `nil` for an unknown epoch.
    func beginning(of name: String) -> Instant? {
        guard let epoch = known.first(where: { $0.name == name }) else { return nil }
        let ended = known.filter { $0.first < epoch.first }.map(\.last).max() ?? .origin
        return epoch.named.flatMap { $0 >= ended && $0 <= epoch.first ? $0 : nil } ?? epoch.first
    }
}

/// The progress of one gateway in reporting its events.
///
/// A gateway's line may be down unnoticed: the broker publishes its will after one and a half times `keepalive_s`.
/// Before that, an overdue list shows it.
struct GatewayProgress: Sendable {
    /// The time after which an overdue list is not expected any more: the gateway has stopped listing.
    static let owedFor = TimeSpan.seconds(120)

    /// The time after a connection within which the broker publishes the will of one that broke at once.
    private static let announcedWithin = TimeSpan.seconds(60)

    /// The transit of its last message, at most `Arrival.longestTransit`.
    private(set) var transit = TimeSpan.zero
    /// The time until which more old events may follow.
    private(set) var catchesUpUntil = Instant.origin
    /// The regions whose last list named beacons, and the arrival of that list.
    private var listing: [StoreRegionSlot: Instant] = [:]
    /// The arrival of its last message.
    private var spokenAt = Instant.origin
    /// The arrival of its last status.
    private var connectedAt = Instant.origin - announcedWithin
    /// The average time between its lists of one region.
    private var interval = TimeSpan.seconds(1)

    init() {}

    mutating func receive(_ arrival: Arrival) {
        transit = min(arrival.transit, Arrival.longestTransit)
        if arrival.transit > Arrival.longestTransit { catchUp(at: arrival.now) }
    }

    /// Expects events of the time for which the gateway was away.
    mutating func catchUp(at now: Instant) { catchesUpUntil = max(catchesUpUntil, now + Arrival.eventPatience) }

    /// Takes a list of a region's beacons.
    mutating func listed(_ region: StoreRegionSlot, isEmpty: Bool, at now: Instant) {
        spokenAt = now
        if let last = listing[region], last >= connectedAt, now - last < HeardLevels.memory {
            interval = TimeSpan(microseconds: (interval.microseconds * 7 + (now - last).microseconds) / 8)
        }
        listing[region] = isEmpty ? nil : now
    }

    /// Removes a region that does not exist any more, or that the gateway has left.
    mutating func remove(_ region: StoreRegionSlot) { listing[region] = nil }

    /// Takes another message about a region: the line is up.
    mutating func messageArrived(at now: Instant) { spokenAt = now }

    /// Takes a status, which begins a connection: old events may follow. The lists before it still show that the
    /// gateway lists these regions.
    mutating func connected(at now: Instant) {
        (connectedAt, spokenAt) = (now, now)
        catchUp(at: now)
    }

    /// Takes another epoch, in which it may list other regions.
    mutating func beginEpoch() { listing = [:] }

    /// The silence after which a list is overdue. Lists are QoS 0, so some are lost.
    private var overdueAfter: TimeSpan { max(.seconds(3), TimeSpan(microseconds: interval.microseconds * 4)) }

    private func isListing(_ now: Instant) -> Bool { !listing.isEmpty && now < owesUntil }

    /// Returns whether the gateway's line was up then: it has sent a message since, or has neither to list beacons nor
    /// was announced as offline for long enough after its connection.
    func hasSpoken(since instant: Instant, at now: Instant) -> Bool {
        spokenAt >= instant || (!isListing(now) && now - connectedAt >= Self.announcedWithin)
    }

    /// Returns whether the gateway's next list is overdue.
    func owesList(at now: Instant) -> Bool { isListing(now) && now - spokenAt > overdueAfter }

    /// The time after which an overdue list is not expected any more.
    var owesUntil: Instant { spokenAt + Self.owedFor }

    /// Returns the time up to which the gateway has reported its events, unless its list is overdue.
    func reportedUntil(_ now: Instant) -> Instant { (isListing(now) ? spokenAt : now) - transit }

    /// Returns the time at which its next list is overdue; `now` where it owes none.
    func listOverdueAt(_ now: Instant) -> Instant {
        isListing(now) ? spokenAt + overdueAfter + TimeSpan(microseconds: 1) : now
    }
}
