/// Requests that wait for a fresh fix.
struct LocationRequests: Sendable {
    /// The most requests that wait at once. Each keeps the receiver on.
    static let limit = 16

    private struct Waiting: Sendable {
        var address: ReplyAddress
        var until: Instant
    }

    private var waiting: [Waiting] = []
    private var answered: [(ReplyAddress, PlacedFix)] = []

    /// The first timeout of a waiting request.
    var deadline: Instant { waiting.map(\.until).min() ?? .distantFuture }
    /// The last timeout; `nil` where no request waits.
    var lastDeadline: Instant? { waiting.map(\.until).max() }

    /// - Throws: `tooManyRequests`.
    mutating func add(_ address: ReplyAddress, until: Instant) throws(RequestError) {
        guard waiting.count < Self.limit else { throw .tooManyLocationRequests(Self.limit) }
        waiting.append(Waiting(address: address, until: until))
    }

    /// Takes a used fix, which answers all waiting requests.
    mutating func used(_ placed: PlacedFix) {
        answered += waiting.map { ($0.address, placed) }
        waiting.removeAll()
    }

    mutating func takeAnswered() -> [(ReplyAddress, PlacedFix)] {
        defer { answered.removeAll() }
        return answered
    }

    /// Returns the requests that have timed out.
    mutating func takeExpired(at now: Instant) -> [ReplyAddress] {
        defer { waiting.removeAll { $0.until <= now } }
        return waiting.filter { $0.until <= now }.map(\.address)
    }
}

extension GatewayEngine {
    /// Begins to wait for a fresh fix.
    ///
    /// - Throws: an error where no fix can come.
    mutating func locate(
        for address: ReplyAddress, timeout: TimeSpan, outputs: inout [GatewayOutput]
    ) throws(RequestError) {
        guard let services = place.services else { throw .locationUnavailable(.off) }
        switch services.status.availability {
        case .off, .absent, .noDevice: throw .locationUnavailable(services.status.availability)
        case .searching, .located: break
        }
        try place.requests.add(address, until: now + timeout)
        // A configured place is published at once.
        advanceServices(&outputs)
        advanceServices(&outputs)
    }

    mutating func answerLocationRequests(_ outputs: inout [GatewayOutput]) {
        for (address, placed) in place.requests.takeAnswered() {
            outputs.append(.message(Answer(address: address, at: now, result: .location(placed)), at: now))
        }
        for address in place.requests.takeExpired(at: now) {
            let availability = place.services?.status.availability ?? .off
            let answer = Answer(address: address, at: now, result: .refused(.locationUnavailable(availability)))
            outputs.append(.message(answer, at: now))
        }
    }
}
