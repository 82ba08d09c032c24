import Core

/// An established connection: the broker's limits on it, and the messages under way. It ends with the connection.
struct LiveConnection: Equatable, Sendable {
    let since: BootInstant
    /// The most messages that may be under way.
    let window: Int
    /// Whether the broker keeps retained messages.
    let keepsRetained: Bool
    /// The silence of the broker after which the connection is dead, since the broker answers pings.
    private let silenceTimeout: TimeSpan
    private var lastHeard: BootInstant
    /// Whether the broker has accepted a message on this connection.
    var hasAccepted = false
    /// A renewal of the connection is due: it ends once no message is under way, and the next one uses the new
    /// certificate.
    var isRenewalDue = false
    var flights = Flights()

    init(_ broker: BrokerLimits, maxInflight: Int, keepalive_s: Int, at now: BootInstant) {
        since = now
        window = max(1, min(maxInflight, broker.receiveMaximum))
        keepsRetained = broker.isRetainAvailable
        silenceTimeout = Self.silenceTimeout(keepalive_s: broker.keepalive_s ?? keepalive_s)
        lastHeard = now
    }

    mutating func heard(at now: BootInstant) { lastHeard = now }

    /// The time at which the connection is dead if the broker stays silent.
    var silenceDue: BootInstant { lastHeard + silenceTimeout }

    /// libmosquitto pings after a keepalive of silence, the broker's where it names one, and waits as long again for
    /// the answer. Half of that is enough, but never less than 3 s, since libmosquitto counts whole seconds. With 0
    /// there are no pings.
    static func silenceTimeout(keepalive_s: Int) -> TimeSpan {
        keepalive_s > 0 ? .seconds(Double(keepalive_s) + max(Double(keepalive_s) / 2, 3)) : .forever
    }
}

/// The messages that were published on a connection and have no PUBACK yet.
struct Flights: Equatable, Sendable {
    private struct Flight: Equatable, Sendable {
        var sentAt: BootInstant
        /// The packet identifier, once the connection has given one.
        var mid: UInt16?
    }

    private var flights: [Ticket: Flight] = [:]
    private var tickets: [UInt16: Ticket] = [:]

    var count: Int { flights.count }
    var isEmpty: Bool { flights.isEmpty }
    var all: some Collection<Ticket> { flights.keys }
    /// The time at which the oldest message still under way was sent.
    var oldest: BootInstant? { flights.values.map(\.sentAt).min() }
    /// The time at which the newest message still under way was sent.
    var newest: BootInstant? { flights.values.map(\.sentAt).max() }

    mutating func sent(_ ticket: Ticket, at now: BootInstant) { flights[ticket] = Flight(sentAt: now, mid: nil) }

    /// Notes the packet identifier that the connection gave a message.
    ///
    /// - Returns: `false` where the message is not under way.
    mutating func number(_ ticket: Ticket, as mid: UInt16) -> Bool {
        guard flights[ticket] != nil else { return false }
        flights[ticket]?.mid = mid
        tickets[mid] = ticket
        return true
    }

    /// Takes the message that a PUBACK acknowledges; `nil` where none of that identifier is under way.
    mutating func take(_ mid: UInt16) -> Ticket? {
        guard let ticket = tickets.removeValue(forKey: mid), flights.removeValue(forKey: ticket) != nil else {
            return nil
        }
        return ticket
    }

    /// - Returns: `false` where the message is not under way.
    mutating func remove(_ ticket: Ticket) -> Bool { flights.removeValue(forKey: ticket) != nil }
}
