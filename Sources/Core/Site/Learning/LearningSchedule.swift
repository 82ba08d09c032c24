/// The times at which a store learns, on the engine's clock.
struct LearningSchedule: Sendable {
    /// The time from one look at the beacons to the next.
    private static let interval = TimeSpan.seconds(10)
    /// The age of a list beyond which its levels are those of another time: the broker had kept it. The retain flag does
    /// not say that, because an MQTT 5 broker leaves it on new lists too.
    private static let oldestList = TimeSpan.seconds(60)

    private var learning: StoreLearning
    /// Relates the engine's clock to the days; `nil` before the first message. A clock that is not synced has no days.
    private var timebase: Timebase?
    /// The time of the next look at the beacons.
    private(set) var nextDeadline: Instant

    init(_ learning: StoreLearning, at now: Instant) {
        self.learning = learning
        nextDeadline = now + Self.interval
    }

    var offsets_db: [String: Double] { learning.offsets_db }

    var suspectCount: Int { learning.suspectCount }

    /// Returns the report of what an earlier process has learned; `nil` without any.
    mutating func begin() -> LearnedUpdate? { learning.firstReport() }

    /// Takes a gateway's message. A list counts where both clocks are synced and agree that it is new.
    mutating func receive(_ message: GatewayMessage, _ arrival: Arrival, _ timebase: Timebase) {
        self.timebase = timebase
        switch message.content {
        case .status(let payload): learning.receive(payload.advertises, from: message.gateway)
        case .beacons(let payload):
            guard arrival.isTrusted, arrival.stated >= arrival.now - Self.oldestList,
                arrival.stated <= arrival.now + Self.oldestList
            else { return }
            learning.receive(payload, from: message.gateway, at: timebase.wall(arrival.now))
        case .event, .state, .cleared, .ranging: break
        }
    }

    /// Takes the levels of moving beacons, the gateway that hears each best first.
    ///
    /// - Parameter ids: of the gateways, by their index.
    mutating func take(_ beacons: [[(gateway: GatewayIndex, level_dbm: Double)]], _ ids: [String]) {
        for levels in beacons where levels.allSatisfy({ $0.gateway.number < ids.count }) {
            learning.receive(levels.map { (ids[$0.gateway.number], $0.level_dbm) })
        }
    }

    /// Passes time. Returns what has changed.
    mutating func advance(to now: Instant) -> LearnedUpdate? {
        nextDeadline = now + Self.interval
        guard let timebase, timebase.isSynced else { return nil }
        return learning.pass(to: timebase.wall(now))
    }
}
