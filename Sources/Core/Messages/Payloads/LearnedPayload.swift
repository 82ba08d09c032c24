/// The offsets that a store has learned of its gateways, and the gateways whose links have changed.
struct LearnedReport: Hashable, Sendable {
    /// The offset of one gateway.
    struct Gateway: Hashable, Sendable {
        var id: String
        /// To be added to every level of this gateway, dB.
        var rssiOffset_db: Double
        /// Contains the true offset two times out of three, dB.
        var plusMinus_db: Double
        /// The other gateways that it is compared with.
        var links: Int
        /// The time since which its links are as they are.
        var since: WallTime
    }

    /// The cause of a change, as far as the links show it. The raw value is the word in the message.
    enum Reason: String, CaseIterable, Sendable {
        /// Some links are weaker and others stronger: it was moved or turned.
        case moved
        /// Nearly all its links are weaker: it is covered.
        case covered
        /// Only what it sends has changed.
        case beacon
        /// Only what it hears has changed.
        case receiver
    }

    /// A gateway whose links have changed.
    struct Suspect: Hashable, Sendable {
        var id: String
        var since: WallTime
        /// The median change of its changed links, dB; negative where most are weaker.
        var change_db: Double
        var reason: Reason
    }

    /// In the order of their ids.
    var gateways: [Gateway] = []
    var suspects: [Suspect] = []
}

/// A change of what a store has learned: the records to store, and the report to publish.
struct LearnedUpdate: Hashable, Sendable {
    /// Encoded, by key: together they are larger than all tables.
    var records: [String: [UInt8]] = [:]
    /// Keys of records that the store needs no more.
    var removedKeys: [String] = []
    /// `nil` where there is only something to store.
    var report: LearnedReport?
}

/// `learned`: the offsets that a store has learned.
struct LearnedPayload: Payload, Hashable {
    var head: PayloadHead
    var report: LearnedReport
}

extension LearnedPayload {
    func write(to json: inout JSONWriter) {
        json.set("gateways", objectsFor: report.gateways) { gateway, json in
            json.set("id", gateway.id)
            json.set("rssi_offset_db", gateway.rssiOffset_db, decimals: 1)
            json.set("plus_minus_db", gateway.plusMinus_db, decimals: 1)
            json.set("links", gateway.links)
            json.set("since", gateway.since)
        }
        json.set("suspects", objectsFor: report.suspects) { suspect, json in
            json.set("id", suspect.id)
            json.set("since", suspect.since)
            json.set("change_db", suspect.change_db, decimals: 1)
            json.set("reason", suspect.reason)
        }
    }
}

extension LearnedUpdate: MessageContent {
    /// No reader waits for an offset.
    package var handling: OutputHandling { OutputHandling(shedding: .never, commit: .eventually) }

    package func publication(by composer: inout MessageComposer, _ context: PublicationContext) -> Publication {
        var publication = Publication([])
        if let report {
            let payload = LearnedPayload(head: composer.head(at: context.instant, context.timebase), report: report)
            let topic = composer.topics.topic(.gateway(.learned))
            publication.items = [.retained(composer.message(.learned, on: topic, payload.encoded))]
        }
        publication.records = records.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        publication.removedKeys = removedKeys
        return publication
    }
}
