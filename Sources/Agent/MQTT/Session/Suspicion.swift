/// Which of our messages may make the broker hang up. What is suspected goes out alone, so that the next time it is plain which one
/// it was.
struct Suspicion: Sendable {
    /// What was under way when the broker blamed a message and hung up: one of these is at fault, until they are all settled.
    private(set) var suspects: Set<Ticket> = []
    /// How often each suspect ended a connection alone.
    private var provenFaults: [Ticket: Int] = [:]
    /// An answer was among several messages on which a broker hung up: one at a time goes out until a connection stands.
    private var answersGoAlone = false
    /// So many connections in a row ended without a word soon after something was published.
    private var silentEnds = 0

    /// Whether messages go out one at a time.
    var isOneAtATime: Bool { !suspects.isEmpty || answersGoAlone }

    /// The connection stands for long enough that no answer has ended it.
    mutating func isStable() { answersGoAlone = false }

    /// A connection that stood for long has ended: what came before says nothing of the next end.
    mutating func wasStable() { silentEnds = 0 }

    /// The broker hung up. A silent end may be chance, so that only a second one in a row makes it careful.
    mutating func note(_ hangUp: HangUp, on flights: Flights) {
        silentEnds = hangUp == .silent ? silentEnds + 1 : 0
        guard hangUp != .silent || silentEnds > 1 else { return }
        for ticket in flights.all {
            // An answer is not sent again: the next one goes alone.
            if case .answer = ticket {
                answersGoAlone = flights.count > 1 || answersGoAlone
            } else {
                suspects.insert(ticket)
            }
        }
    }

    /// It was alone on a connection that ended because of it.
    ///
    /// - Returns: how often that has been so.
    mutating func prove(_ ticket: Ticket) -> Int {
        provenFaults[ticket, default: 0] += 1
        return provenFaults[ticket, default: 0]
    }

    mutating func acquit(_ ticket: Ticket) {
        if suspects.isEmpty, provenFaults.isEmpty { return }
        suspects.remove(ticket)
        provenFaults[ticket] = nil
    }
}
