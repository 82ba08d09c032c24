@testable import Core

/// Feeds a payload; the first octet chooses the kind. A payload that is read is written so that it reads and writes the
/// same.
func feedPayload(_ octets: [UInt8]) {
    let kind = MessageKind.allCases[Int(octets.first ?? 0) % MessageKind.allCases.count]
    do throws(PayloadError) {
        requireReadable(try kind.payload.init(decoding: Array(octets.dropFirst())).encoded, as: kind)
    } catch {
        require(!error.description.isEmpty, "what is refused says why")
    }
}

/// Feeds a topic; one that is read gives the same topic again.
func feedTopic(_ octets: [UInt8]) {
    let text = String(decoding: octets, as: UTF8.self)
    if let topic = Topic(text, prefix: "beacons") {
        require(topic.gateway.topic(topic.subject) == text, "a topic is made as it was read")
    }
    if let root = TopicTree.root(ofEventTopic: text) {
        require(text.utf8.starts(with: root.utf8), "the gateway is in the topic")
        let subject = TopicTree(root: root)?.subject(of: text)
        require(
            subject.map { if case .region(.event, _) = $0 { true } else { false } } ?? false, "and says an event on it")
    }
}

private let topics = TopicTree(prefix: "beacons", site: "store", gateway: "gate")
private let epoch = "01KDVDNA0T0000000000000000"
private let timebase = Timebase(wallAtOrigin: .unixEpoch, isSynced: true)

/// A gateway's messages: a subscriber can read all of them.
struct PublishedMessages {
    private var ledger: EventLedger
    private var composer: MessageComposer
    private var seq: Int64 = 1

    init() {
        composer = MessageComposer(
            topics: topics, version: "1.0.0", pseudonym: DevicePseudonym(form: .omit, key: [], deviceNames: []),
            rangingExpiry_s: 11)
        ledger = EventLedger(composer)
    }

    mutating func publish(_ outputs: [GatewayOutput]) {
        for output in outputs {
            switch output {
            case .transition(let transition, _):
                let entry = ledger.enter(transition, epoch: epoch, seq: seq, timebase)
                if let event = entry.event { requireReadable(event.payload, as: .event) }
                requireReadable(entry.state.payload, as: .state)
                if entry.event != nil { seq += 1 }
            case .message(let announcement, let at): publish(announcement.content, at: at)
            case .locationStatus(let status, let at):
                let message = composer.status(
                    isOnline: true, epoch: epoch, radio: .replay, location: status, at: at, timebase)
                requireReadable(message.payload, as: .status)
            default: break
            }
        }
    }

    private mutating func publish(_ content: any MessageContent, at now: Instant) {
        let context = PublicationContext(
            at: now, timebase, number: { MessageNumber(epoch: epoch, series: $0, seq: 1) }, eventSeq: { _ in 1 })
        let publication = content.publication(by: &composer, context)
        for item in publication.items {
            let (topic, payload) =
                switch item {
                case .numbered(let message): (message.topic, message.payload)
                case .retained(let message, _), .ephemeral(let message): (message.topic, message.payload)
                }
            if let kind = topics.subject(of: topic)?.kind { requireReadable(payload, as: kind) }
        }
        for (key, value) in publication.records where StoredFix.isKey(key) {
            require(StoredFix.read(value).map(StoredFix.encoded) == value, "what is kept is read, and kept the same")
        }
    }
}

private func requireReadable(_ octets: [UInt8], as kind: MessageKind) {
    let again = try? kind.payload.init(decoding: octets)
    require(again?.encoded == octets, "what is written is read, and written the same")
}
