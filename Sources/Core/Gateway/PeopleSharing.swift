/// The gateway's part in the joint count of its store: it seals the engine's reports of people with the store's key of the day.
///
/// While the store counts, the gateway's own counts are left out. The difference of the two would tell of the few people that only one
/// of several gateways hears.
package struct PeopleSharing: Sendable {
    /// The time after an announcement in which the store is taken to count. It announces its key every 10 s.
    static let counted = TimeSpan.seconds(60)

    /// The topic of the store's announcements.
    package let filter: String
    private let topic: String
    private let siteKey: [UInt8]
    /// True where time is a recording's, which says nothing about the age of an announcement.
    private let isRecorded: Bool
    private var sealer: PeopleSealer?
    private var sealsUntil = Instant.origin
    /// The time in which the store has counted, from the first announcement on.
    private var counted: ClosedRange<WallTime>?

    /// Returns `nil` where the configuration has no region of people, or no secret of the store.
    package init?(_ settings: Settings, isRecorded: Bool = false) {
        guard let siteKey = settings.privacy.siteKey, settings.gateway.sharesPeople else { return nil }
        let topics = settings.identity.topics
        topic = topics.people
        filter = TopicTree(prefix: topics.prefix, site: topics.site, gateway: SiteSettings.gatewayID).people
        self.siteKey = siteKey
        self.isRecorded = isRecorded
    }

    /// Takes a message from the broker, if it is an announcement.
    ///
    /// - Returns: whether it was on the topic of announcements.
    package mutating func receive(_ topic: String, _ payload: [UInt8]?, at now: Instant, _ timebase: Timebase) -> Bool {
        guard topic == filter else { return false }
        guard let made = payload.flatMap({ PeopleSealer($0, siteKey: siteKey, store: filter) }),
            sealer.map({ made.isNewer(than: $0) }) ?? true
        else { return true }
        sealer = made
        sealsUntil = isRecorded ? .distantFuture : now + Self.counted
        let wall = timebase.wall(now)
        counted = min(counted?.lowerBound ?? wall, wall)...max(counted?.upperBound ?? wall, wall + Self.counted)
        return true
    }

    /// Seals the reports among the engine's outputs, and leaves out the counts of a time in which the store counts.
    package mutating func pass(_ outputs: inout [GatewayOutput]) {
        guard outputs.contains(where: \.isOfPeople) else { return }
        var passed: [GatewayOutput] = []
        passed.reserveCapacity(outputs.count)
        for output in outputs {
            guard case .message(let announced, let at) = output else {
                passed.append(output)
                continue
            }
            switch announced.content {
            case let report as PeopleReport:
                if let message = seal(report, at: at) { passed.append(.message(message, at: at)) }
            case let count as VisitCount
            where counted.map({ count.from < $0.upperBound && $0.lowerBound < count.to }) ?? false:
                break
            default: passed.append(output)
            }
        }
        outputs = passed
    }

    private mutating func seal(_ report: PeopleReport, at instant: Instant) -> PeopleMessage? {
        guard let names = sealer, instant < sealsUntil else { return nil }
        var named = report
        named.people = report.people.compactMap { person in
            guard let name = names.name(person.name) else { return nil }
            var person = person
            person.name = name
            return person
        }
        return sealer?.seal(named.encoded, on: topic, random: PseudonymKey.random())
            .map { PeopleMessage(topic: topic, payload: $0) }
    }
}

extension GatewayOutput {
    /// True for a report of people, and for a count of them.
    fileprivate var isOfPeople: Bool {
        guard case .message(let message, _) = self else { return false }
        return message.content is PeopleReport || message.content is VisitCount
    }
}
