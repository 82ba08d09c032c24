/// A gateway of the store, by its place in `StoreGateways`: 0 to 63.
struct GatewayIndex: Hashable, Comparable, Sendable {
    private let octet: UInt8

    var number: Int { Int(octet) }

    package init(_ number: Int) { octet = UInt8(clamping: number) }

    static func < (left: GatewayIndex, right: GatewayIndex) -> Bool { left.number < right.number }
}

/// Some of the store's gateways, one bit each.
struct GatewaySet: Hashable, Sendable {
    private var bits: UInt64 = 0

    package init() {}

    var isEmpty: Bool { bits == 0 }

    func contains(_ gateway: GatewayIndex) -> Bool { bits & bit(gateway) != 0 }

    mutating func insert(_ gateway: GatewayIndex) { bits |= bit(gateway) }

    mutating func remove(_ gateway: GatewayIndex) { bits &= ~bit(gateway) }

    func subtracting(_ others: GatewaySet) -> GatewaySet {
        var left = self
        left.bits &= ~others.bits
        return left
    }

    private func bit(_ gateway: GatewayIndex) -> UInt64 { 1 << UInt64(gateway.number & 63) }
}

/// Who speaks under the store, and which of them can hear.
package struct StoreGateways: Sendable {
    /// What is known of one gateway.
    package struct Gateway: Sendable {
        package var settings: SiteSettings.Gateway
        /// Whether the configuration lists it.
        var isListed: Bool
        /// `nil` before its first status: until then it counts as one that hears, because what it tells is all there is.
        var status: Status?
        /// Whether its clock was synced in its last message.
        package var isClockSynced = true
        /// When anything came from it; `nil` before that.
        var lastArrival: Instant?
        /// By how much its clock is ahead of the store's, as far as its last message shows; `nil` before one that shows it.
        var clockOffset: TimeSpan?
        /// When it was known that it can't hear; `nil` while it can.
        fileprivate(set) var deafSince: Instant?
        /// When it was last said to be offline; `nil` where it never was.
        fileprivate(set) var offlineAt: Instant?
        /// How far it has told.
        var progress = GatewayProgress()
        /// The epoch of its last status while it was online, and when that began; `nil` before such a status.
        fileprivate(set) var epoch: (name: String, begin: Instant)?
        /// When it has had time to say anew in its epoch what it had inside in an earlier one; `distantFuture` where it has said so.
        fileprivate(set) var restatedDue = Instant.distantFuture

        /// Since when its line is down, or it is stopped; `nil` while it is online.
        var awaySince: Instant? { status?.isOnline == false ? offlineAt : nil }
    }

    /// What a gateway's last `status` says.
    struct Status: Hashable, Sendable {
        var isOnline: Bool
        package var radio: CoveredRadio

        /// A gateway that is offline or blind proves nothing.
        var hears: Bool { isOnline && radio.hears }
    }

    /// What a gateway has to say for itself it has said so long after the store's start, or after its own.
    static let firstWordWithin = TimeSpan.seconds(30)

    package private(set) var all: [Gateway] = []
    private var indexOfID: [String: GatewayIndex] = [:]
    /// Those that can hear, as far as is known.
    private(set) var hearing = GatewaySet()
    /// Those of the configuration that have told nothing yet.
    private var silent = GatewaySet()
    private let startedAt: Instant

    package init(_ listed: [SiteSettings.Gateway], at now: Instant = .origin) {
        startedAt = now
        for settings in listed {
            if let gateway = add(settings, isListed: true) { silent.insert(gateway) }
        }
    }

    /// The places of all of them.
    var indices: some RandomAccessCollection<GatewayIndex> { all.indices.lazy.map { GatewayIndex($0) } }

    subscript(gateway: GatewayIndex) -> Gateway {
        get { all[gateway.number] }
        _modify {
            defer { if all[gateway.number].lastArrival != nil { silent.remove(gateway) } }
            yield &all[gateway.number]
        }
    }

    /// Those that a store which has just started waits for: it can't know yet whether a beacon is with them.
    func awaited(at now: Instant) -> GatewaySet {
        now - startedAt <= Self.firstWordWithin ? silent : GatewaySet()
    }

    /// Its place, which it gets with its first message; `nil` where 64 others speak already.
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

    /// How far all gateways have told, as far as is known.
    struct Told {
        /// Everything that happened until then is told.
        var until: Instant
        /// An exit that happened later is looked at again so long after it, or at that time where that is earlier.
        fileprivate var delay: TimeSpan
        fileprivate var latest: Instant

        /// Everything that happened until a time.
        init(everythingUntil now: Instant) { (until, delay, latest) = (now, .zero, .distantFuture) }

        fileprivate init(until: Instant, delay: TimeSpan, latest: Instant = .distantFuture) {
            (self.until, self.delay, self.latest) = (until, delay, latest)
        }

        /// When an exit is looked at again that is too early to be told.
        func look(at exit: Instant) -> Instant { min(exit + delay, latest) }
    }

    /// How far all gateways have told.
    ///
    /// - Parameter lateAfter: what a gateway tells later than that changes nothing anyway.
    func told(at now: Instant, lateAfter: TimeSpan) -> Told {
        let caughtUpAt = caughtUpAt(now)
        if caughtUpAt > now { return Told(until: now - lateAfter, delay: lateAfter, latest: caughtUpAt) }
        let transit = all.map(\.progress.transit).max() ?? .zero
        return Told(until: now - transit, delay: transit)
    }

    /// When all gateways have told everything, as far as is known now; `distantFuture` while one is away.
    ///
    /// - Parameter others: gateways that do not count.
    func caughtUpAt(_ now: Instant, but others: GatewaySet = GatewaySet()) -> Instant {
        var due = now
        for (number, gateway) in all.enumerated() where gateway.lastArrival != nil {
            if others.contains(GatewayIndex(number)) { continue }
            if gateway.awaySince != nil || gateway.progress.owesList(at: now) { return .distantFuture }
            due = max(due, gateway.progress.catchesUpUntil)
        }
        return due
    }

    /// When the first gateway has had time to say anew what it had inside in an earlier epoch.
    private(set) var restatedDue = Instant.distantFuture

    /// Gives a gateway time to say anew what it had inside in an epoch before its present one. The time runs while it hears.
    mutating func awaitRestatement(of gateway: GatewayIndex, at now: Instant) {
        let waits = all[gateway.number].epoch != nil && hearing.contains(gateway)
        all[gateway.number].restatedDue = waits ? now + Self.firstWordWithin : .distantFuture
        restatedDue = all.map(\.restatedDue).min() ?? .distantFuture
    }

    /// A gateway that has had time to say anew what it had inside in an earlier epoch, with its present one.
    struct Restated {
        var index: GatewayIndex
        var epoch: String
        var begin: Instant
    }

    /// The next gateway whose time is over.
    mutating func takeRestated(at now: Instant) -> Restated? {
        guard let number = all.indices.first(where: { all[$0].restatedDue <= now }) else { return nil }
        let epoch = all[number].epoch
        all[number].restatedDue = .distantFuture
        restatedDue = all.map(\.restatedDue).min() ?? .distantFuture
        return epoch.map { Restated(index: GatewayIndex(number), epoch: $0.name, begin: $0.begin) }
    }

    /// A message has come.
    ///
    /// - Parameter showsClock: whether its time is that of its sending.
    mutating func note(_ head: PayloadHead, of gateway: GatewayIndex, _ arrival: Arrival, showsClock: Bool) {
        self[gateway].isClockSynced = head.isClockSynced
        self[gateway].lastArrival = arrival.now
        if showsClock, !arrival.isLate { self[gateway].clockOffset = arrival.told - arrival.now }
    }

    /// A gateway that is online has named its epoch.
    mutating func note(epoch: String, of gateway: GatewayIndex, begin: Instant) {
        if all[gateway.number].epoch?.name != epoch { all[gateway.number].epoch = (epoch, begin) }
    }

    /// Takes a status in.
    ///
    /// - Returns: whether it can hear now and could not before, or the other way round.
    mutating func note(_ status: Status, of gateway: GatewayIndex, at now: Instant) -> Bool {
        let could = hearing.contains(gateway)
        let wasOnline = all[gateway.number].status?.isOnline ?? true
        all[gateway.number].status = status
        if !status.isOnline {
            all[gateway.number].offlineAt = now
        } else if all[gateway.number].offlineAt != nil, !wasOnline {
            // The gateway tells now what it could not tell meanwhile.
            all[gateway.number].progress.catchUp(at: now)
        }
        guard status.hears != could else { return false }
        if status.hears { hearing.insert(gateway) } else { hearing.remove(gateway) }
        all[gateway.number].deafSince = status.hears ? nil : now
        return true
    }
}

/// How far one gateway has told.
///
/// A gateway's line may be down without a word of it: the broker tells a will after one and a half times `keepalive_s`. Then a list that
/// is owed shows it.
struct GatewayProgress: Sendable {
    /// A list that is owed for so long will not come: the gateway has stopped to list.
    static let owedFor = TimeSpan.seconds(120)

    /// How long its last message was on its way; at most `Arrival.longestTransit`.
    private(set) var transit = TimeSpan.zero
    /// While it tells what is old, it may have more of it.
    private(set) var catchesUpUntil = Instant.origin
    /// The regions whose last list named beacons.
    private var listing: Set<StoreRegionSlot> = []
    private var listedAt = Instant.origin
    /// How far its lists are apart on average.
    private var interval = TimeSpan.seconds(1)

    init() {}

    /// An event has come.
    mutating func note(_ arrival: Arrival) {
        transit = min(arrival.transit, Arrival.longestTransit)
        if arrival.transit > Arrival.longestTransit { catchUp(at: arrival.now) }
    }

    /// It tells what has happened while it was away.
    mutating func catchUp(at now: Instant) { catchesUpUntil = max(catchesUpUntil, now + Arrival.eventPatience) }

    /// It has listed a region's beacons.
    mutating func noteList(of region: StoreRegionSlot, isEmpty: Bool, at now: Instant) {
        let gap = now - listedAt
        if !listing.isEmpty, gap > .zero, gap < HeardLevels.memory {
            interval = TimeSpan(microseconds: (interval.microseconds * 7 + gap.microseconds) / 8)
        }
        listedAt = now
        if isEmpty { listing.remove(region) } else { listing.insert(region) }
    }

    /// A region is no more.
    mutating func forget(_ region: StoreRegionSlot) { listing.remove(region) }

    /// It says something else: its line is up, and what it listed it lists no more.
    mutating func noteWord() { listing = [] }

    /// Returns whether the gateway's next list is overdue. Lists are QoS 0, so some are lost.
    func owesList(at now: Instant) -> Bool {
        let silence = now - listedAt
        return !listing.isEmpty && silence > max(.seconds(3), TimeSpan(microseconds: interval.microseconds * 4))
            && silence < Self.owedFor
    }
}
