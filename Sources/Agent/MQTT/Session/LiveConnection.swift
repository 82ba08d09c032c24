import Core

/// A connection that stands: what the broker allows on it, and what is under way. It ends with the connection.
struct LiveConnection: Equatable, Sendable {
    let since: BootInstant
    /// How many messages may be under way.
    let window: Int
    /// Whether the broker keeps retained messages.
    let keepsRetained: Bool
    /// After so much silence of the broker, which answers pings, the connection is dead.
    private let silenceTimeout: TimeSpan
    private var lastHeard: BootInstant
    /// The broker has taken something on this connection.
    var hasAccepted = false
    var flights = Flights()

    init(_ broker: BrokerLimits, maxInflight: Int, keepalive_s: Int, at now: BootInstant) {
        since = now
        window = max(1, min(maxInflight, broker.receiveMaximum))
        keepsRetained = broker.isRetainAvailable
        silenceTimeout = Self.silenceTimeout(keepalive_s: broker.keepalive_s ?? keepalive_s)
        lastHeard = now
    }

    mutating func heard(at now: BootInstant) { lastHeard = now }

    /// When it is dead if nothing is heard before.
    var silenceDue: BootInstant { lastHeard + silenceTimeout }

    /// libmosquitto pings after a keepalive of silence, the broker's where it names one, and waits as long again for the
    /// answer; half of that is enough, but never less than 3 s, since it counts whole seconds. With 0 there are no pings.
    static func silenceTimeout(keepalive_s: Int) -> TimeSpan {
        keepalive_s > 0 ? .seconds(Double(keepalive_s) + max(Double(keepalive_s) / 2, 3)) : .forever
    }
}

/// What was published on a connection and has no PUBACK yet.
struct Flights: Equatable, Sendable {
    private struct Flight: Equatable, Sendable {
        var sentAt: BootInstant
        /// The packet identifier, once the connection has given one.
        var mid: UInt16?
    }

    private var flights: [Ticket: Flight] = [:]
    private var tickets: [UInt16: Ticket] = [:]

    package var count: Int { flights.count }
    var isEmpty: Bool { flights.isEmpty }
    package var all: some Collection<Ticket> { flights.keys }
    /// When the first of those that are still under way was sent.
    var oldest: BootInstant? { flights.values.map(\.sentAt).min() }
    /// When the last of them was.
    var newest: BootInstant? { flights.values.map(\.sentAt).max() }

    mutating func sent(_ ticket: Ticket, at now: BootInstant) { flights[ticket] = Flight(sentAt: now, mid: nil) }

    /// The connection gave it a packet identifier.
    ///
    /// - Returns: `false` where it is not under way.
    mutating func number(_ ticket: Ticket, as mid: UInt16) -> Bool {
        guard flights[ticket] != nil else { return false }
        flights[ticket]?.mid = mid
        tickets[mid] = ticket
        return true
    }

    /// Takes what a PUBACK is for; `nil` where nothing of that identifier is under way.
    mutating func take(_ mid: UInt16) -> Ticket? {
        guard let ticket = tickets.removeValue(forKey: mid), flights.removeValue(forKey: ticket) != nil else {
            return nil
        }
        return ticket
    }

    /// - Returns: `false` where it is not under way.
    mutating func remove(_ ticket: Ticket) -> Bool { flights.removeValue(forKey: ticket) != nil }
}
