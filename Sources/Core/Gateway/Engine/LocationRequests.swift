/// Requests for a fresh fix that wait for one.
struct LocationRequests: Sendable {
    /// Those that may wait at once. Each keeps the receiver on.
    package static let limit = 16

    private struct Waiting: Sendable {
        package var address: ReplyAddress
        var until: Instant
    }

    private var waiting: [Waiting] = []
    private var answered: [(ReplyAddress, PlacedFix)] = []

    /// When the first of them waits no longer.
    var deadline: Instant { waiting.map(\.until).min() ?? .distantFuture }
    /// When the last of them does; `nil` where none waits.
    var lastDeadline: Instant? { waiting.map(\.until).max() }

    /// - Throws: `tooManyRequests`.
    mutating func add(_ address: ReplyAddress, until: Instant) throws(RequestError) {
        guard waiting.count < Self.limit else { throw .tooManyLocationRequests(Self.limit) }
        waiting.append(Waiting(address: address, until: until))
    }

    /// A fix was used: it is what all of them wait for.
    mutating func used(_ placed: PlacedFix) {
        answered += waiting.map { ($0.address, placed) }
        waiting.removeAll()
    }

    mutating func takeAnswered() -> [(ReplyAddress, PlacedFix)] {
        defer { answered.removeAll() }
        return answered
    }

    /// Those whose time is over.
    mutating func takeExpired(at now: Instant) -> [ReplyAddress] {
        defer { waiting.removeAll { $0.until <= now } }
        return waiting.filter { $0.until <= now }.map(\.address)
    }
}

extension GatewayEngine {
    /// Begins to wait for a fresh fix.
    ///
    /// - Throws: where there is none to wait for.
    mutating func locate(
        for address: ReplyAddress, timeout: TimeSpan, outputs: inout [GatewayOutput]
    ) throws(RequestError) {
        guard let services = place.services else { throw .locationUnavailable(.off) }
        switch services.status.availability {
        case .off, .absent, .noDevice: throw .locationUnavailable(services.status.availability)
        case .searching, .located: break
        }
        try place.requests.add(address, until: now + timeout)
        // A place that is configured is said at once.
        advanceServices(&outputs)
        advanceServices(&outputs)
    }

    mutating func answerLocationRequests(_ outputs: inout [GatewayOutput]) {
        for (address, placed) in place.requests.takeAnswered() {
            outputs.append(.answer(Answer(address: address, at: now, result: .location(placed))))
        }
        for address in place.requests.takeExpired(at: now) {
            let availability = place.services?.status.availability ?? .off
            outputs.append(
                .answer(Answer(address: address, at: now, result: .refused(.locationUnavailable(availability)))))
        }
    }
}
