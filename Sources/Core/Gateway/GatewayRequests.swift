struct RequestedRegions: Sendable {
    private var monitored: [String: MonitoredRegion] = [:]
    /// The regions that an earlier process had registered and a limit refuses now. A request may register or stop them.
    private var refused: Set<String> = []

    /// Returns whether to register the region.
    ///
    /// - Returns: `false` where it is registered already: a broker may deliver a request twice.
    /// - Throws: `regionExists` where another region has its id.
    func admits(_ region: MonitoredRegion) throws(RequestError) -> Bool {
        guard let known = monitored[region.id] else { return true }
        guard known == region else { throw .regionExists(region.id) }
        return false
    }

    mutating func registered(_ region: MonitoredRegion) {
        monitored[region.id] = region
        refused.remove(region.id)
    }

    mutating func refused(_ region: MonitoredRegion) { refused.insert(region.id) }

    /// Ends the monitoring of a region.
    ///
    /// - Throws: `unknownRegion` where no request has registered it.
    mutating func remove(_ region: String) throws(RequestError) {
        let wasMonitored = monitored.removeValue(forKey: region) != nil
        guard refused.remove(region) != nil || wasMonitored else { throw .unknownRegion(region) }
    }
}

/// Requests that wait for a fresh fix.
struct LocationRequests: Sendable {
    /// The most requests that wait at once. Each keeps the receiver on.
    static let limit = 16

    private var waiting: [(address: ReplyAddress, until: Instant)] = []
    private var answers: [Answer] = []

    /// The first timeout of a waiting request.
    var deadline: Instant { waiting.map(\.until).min() ?? .distantFuture }
    /// The last timeout; `nil` where no request waits.
    var lastDeadline: Instant? { waiting.map(\.until).max() }

    /// - Throws: `tooManyRequests`.
    mutating func add(_ address: ReplyAddress, until: Instant) throws(RequestError) {
        guard waiting.count < Self.limit else { throw .tooManyLocationRequests(Self.limit) }
        waiting.append((address, until))
    }

    /// Takes a used fix, which answers all waiting requests.
    mutating func used(_ placed: PlacedFix, at now: Instant) {
        answers += waiting.map { Answer(address: $0.address, at: now, result: .location(placed)) }
        waiting.removeAll()
    }

    /// Returns the answers to requests that have their fix, and to those that have timed out.
    mutating func takeAnswers(_ availability: LocationAvailability, at now: Instant) -> [Answer] {
        defer { answers.removeAll() }
        let expired = waiting.filter { $0.until <= now }
        waiting.removeAll { $0.until <= now }
        return answers
            + expired.map {
                Answer(address: $0.address, at: now, result: .refused(.locationUnavailable(availability)))
            }
    }
}
