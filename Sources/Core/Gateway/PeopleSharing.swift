/// The gateway's part in the joint count of its store: it seals the engine's reports of people with the store's key of the day.
///
/// While the store counts, the engine publishes no counts. The difference of the two would tell of the few people that only one
/// of several gateways hears.
package struct PeopleSharing: Sendable {
    /// The time after an announcement in which the store is taken to count. It announces its key every 10 s.
    static let counted = TimeSpan.seconds(60)
    /// The age of an announcement that is an old one, where this machine's clock is synchronised.
    private static let old = TimeSpan.seconds(60)

    /// The topic of the store's announcements.
    package let filter: String
    private let topic: String
    private let siteKey: [UInt8]
    /// True where time is a recording's, which says nothing about the age of an announcement.
    private let isRecorded: Bool
    private var sealer: PeopleSealer?
    private var sealsUntil = Instant.origin
    /// The latest time of the store in the announcements of the last minute.
    private var latest: WallTime?

    /// Returns `nil` where the configuration has no region of people, or no secret of the store.
    package init?(_ settings: Settings, isRecorded: Bool = false) {
        guard let siteKey = settings.privacy.siteKey, settings.gateway.sharesPeople else { return nil }
        let topics = settings.identity.topics
        topic = topics.people
        filter = TopicTree(prefix: topics.prefix, site: topics.site, gateway: SiteSettings.gatewayID).people
        self.siteKey = siteKey
        self.isRecorded = isRecorded
    }

    /// The result of a message from the broker.
    package enum Taken: Hashable, Sendable {
        case no
        /// An announcement that changes nothing, because it is forged, old, or came again.
        case refused
        /// An announcement: the store counts until then.
        case announced(until: Instant)
    }

    /// Takes a message from the broker, if it is on the topic of announcements.
    package mutating func receive(
        _ topic: String, _ payload: [UInt8]?, at now: Instant, _ timebase: Timebase
    ) -> Taken {
        guard topic == filter else { return .no }
        guard let made = payload.flatMap({ PeopleSealer($0, siteKey: siteKey, store: filter) }),
            sealer.map({ made.isNewer(than: $0) }) ?? true, isTimely(made, at: now, timebase)
        else { return .refused }
        if let announcedAt = made.announcedAt {
            latest = now < sealsUntil ? max(latest ?? announcedAt, announcedAt) : announcedAt
        }
        sealer = made
        sealsUntil = isRecorded ? .distantFuture : now + Self.counted
        return .announced(until: sealsUntil)
    }

    private func isTimely(_ made: PeopleSealer, at now: Instant, _ timebase: Timebase) -> Bool {
        if isRecorded { return true }
        // A store whose clock is not synchronised counts no people.
        guard let announcedAt = made.announcedAt else { return false }
        guard timebase.isSynced else { return true }
        // Within the minute, an announcement of another key is older than the last one where its time is. After it the store's clock may have
        // been set.
        if now < sealsUntil, let sealer, let latest, !made.hasKey(of: sealer), announcedAt < latest { return false }
        let age = timebase.wall(now) - announcedAt
        return age <= Self.old && age >= .zero - Self.old
    }

    /// Seals the reports among the engine's outputs. No other report leaves.
    package mutating func pass(_ outputs: inout [GatewayOutput]) {
        guard outputs.contains(where: { $0.content(PeopleReport.self) != nil }) else { return }
        outputs = outputs.compactMap { output in
            guard case .message(let announced, let at) = output, let report = announced.content as? PeopleReport else {
                return output
            }
            return seal(report, at: at).map { .message($0, at: at) }
        }
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
