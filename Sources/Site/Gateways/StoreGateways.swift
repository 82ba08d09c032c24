import Configuration
import HCI
import Messages

/// A gateway of the store, by its place in `StoreGateways`: 0 to 63.
package struct GatewayIndex: Hashable, Comparable, Sendable {
    private let octet: UInt8

    package var number: Int { Int(octet) }

    init(_ number: Int) { octet = UInt8(clamping: number) }

    package static func < (left: GatewayIndex, right: GatewayIndex) -> Bool { left.number < right.number }
}

/// Some of the store's gateways, one bit each.
package struct GatewaySet: Hashable, Sendable {
    private var bits: UInt64 = 0

    package init() {}

    package var isEmpty: Bool { bits == 0 }

    package func contains(_ gateway: GatewayIndex) -> Bool { bits & bit(gateway) != 0 }

    package mutating func insert(_ gateway: GatewayIndex) { bits |= bit(gateway) }

    package mutating func remove(_ gateway: GatewayIndex) { bits &= ~bit(gateway) }

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
        package var isListed: Bool
        /// `nil` before its first status: until then it counts as one that hears, because what it tells is all there is.
        package var status: Status?
        /// Whether its clock was synced in its last message.
        package var isClockSynced = true
        /// When anything came from it; `nil` before that.
        package var lastArrival: Instant?
        /// By how much its clock is ahead of the store's, as far as its last message shows.
        package var clockOffset: TimeSpan = .zero
        /// When it was known that it can't hear; `nil` while it can.
        package fileprivate(set) var deafSince: Instant?
        /// When it was last said to be offline; `nil` where it never was.
        fileprivate(set) var offlineAt: Instant?
    }

    /// What a gateway's last `status` says.
    package struct Status: Hashable, Sendable {
        package var isOnline: Bool
        package var radio: CoveredRadio

        /// A gateway that is offline or blind proves nothing.
        package var hears: Bool { isOnline && radio.hears }
    }

    /// What a listed gateway has to say for itself it has said so long after the start.
    static let firstWordWithin = TimeSpan.seconds(30)

    package private(set) var all: [Gateway] = []
    private var indices: [String: GatewayIndex] = [:]
    /// Those that can hear, as far as is known.
    package private(set) var hearing = GatewaySet()
    /// Those of the configuration that have told nothing yet.
    private var silent = GatewaySet()
    private let startedAt: Instant

    package init(_ listed: [SiteSettings.Gateway], at now: Instant = .origin) {
        startedAt = now
        for settings in listed {
            if let gateway = add(settings, isListed: true) { silent.insert(gateway) }
        }
    }

    package subscript(gateway: GatewayIndex) -> Gateway {
        get { all[gateway.number] }
        set {
            all[gateway.number] = newValue
            if newValue.lastArrival != nil { silent.remove(gateway) }
        }
    }

    /// Those that a store which has just started waits for: it can't know yet whether a beacon is with them.
    func awaited(at now: Instant) -> GatewaySet {
        now - startedAt <= Self.firstWordWithin ? silent : GatewaySet()
    }

    /// Its place, which it gets with its first message; `nil` where 64 others speak already.
    package mutating func index(of id: String) -> GatewayIndex? {
        if let known = indices[id] { return known }
        return add(SiteSettings.Gateway(id: id), isListed: false)
    }

    private mutating func add(_ settings: SiteSettings.Gateway, isListed: Bool) -> GatewayIndex? {
        guard all.count < SiteSettings.maxGateways else { return nil }
        let index = GatewayIndex(all.count)
        all.append(Gateway(settings: settings, isListed: isListed))
        indices[settings.id] = index
        hearing.insert(index)
        return index
    }

    /// Takes a status in.
    ///
    /// - Returns: whether it can hear now and could not before, or the other way round.
    mutating func note(_ status: Status, of gateway: GatewayIndex, at now: Instant) -> Bool {
        let could = hearing.contains(gateway)
        all[gateway.number].status = status
        if !status.isOnline { all[gateway.number].offlineAt = now }
        guard status.hears != could else { return false }
        if status.hears { hearing.insert(gateway) } else { hearing.remove(gateway) }
        all[gateway.number].deafSince = status.hears ? nil : now
        return true
    }
}
