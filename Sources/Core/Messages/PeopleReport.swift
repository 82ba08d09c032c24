/// The people inside a gateway's regions of people at one time.
///
/// Between the engine and `PeopleSharing` it has identities, and in a sealed report pseudonyms. By itself it publishes nothing.
struct PeopleReport: Hashable, Sendable {
    struct Person: Hashable, Sendable {
        var region: String
        /// The identity, or the pseudonym.
        var name: String
        /// The time since the entry, and since the last report of the beacon.
        var entered_ms: Int64
        var heard_ms: Int64
        /// The level at the gateway, dBm; `nil` where it is not heard now.
        var rssi_dbm: Double?
        /// True if the gateway did not see the entry.
        var wasThere: Bool
    }

    /// The interval of reports. A shorter visit is not counted.
    static let interval = TimeSpan.seconds(2)
    /// The most people in a report, which makes 120 KiB.
    static let most = 1_000

    /// The gateway's regions of people, also where no person is inside.
    var regions: [String]
    /// The time for which the gateway's process has counted, without a restart.
    var counting_ms: Int64
    var people: [Person]
    /// False where a limit holds people back, and where the gateway's radio does not hear.
    var isComplete = true
}

extension PeopleReport: MessageContent {
    /// The next one follows soon.
    package var handling: OutputHandling { .ofPresent }

    package func publication(by composer: inout MessageComposer, _ context: PublicationContext) -> Publication {
        Publication([])
    }
}

extension PeopleReport {
    private static let longest_ms: Int64 = 400 * 86_400_000
    /// The steps of lengths, octets: of the people, and of the rest. So one person never changes the length, however many regions there are. A
    /// reader of the broker learns the number of people in steps of 20 to 45.
    private static let step = 4_096
    private static let headStep = 512

    /// Reads a report. The pseudonyms in it are short.
    init(decoding octets: [UInt8]) throws(PayloadError) {
        var fields = try PayloadFields(octets)
        regions = try fields.list("regions") { fields throws(PayloadError) in try fields.level("id") }
        counting_ms = try fields.integer("counting_ms", 0...Self.longest_ms)
        people = try fields.list("people") { fields throws(PayloadError) in
            let region = try fields.level("region")
            let name = try fields.text("name")
            guard name.utf8.count == 16 else { throw PayloadError("name", .mustBeOneOf("16 hexadecimal digits")) }
            return Person(
                region: region, name: name, entered_ms: try fields.integer("entered_ms", 0...Self.longest_ms),
                heard_ms: try fields.integer("heard_ms", 0...Self.longest_ms),
                rssi_dbm: try fields.numberOrNull("rssi_dbm", -127...20), wasThere: try fields.flag("was_there"))
        }
        guard people.count <= Self.most else { throw PayloadError("people", .tooLong(limit: Self.most)) }
        isComplete = try fields.boolean("complete")
    }

    var encoded: [UInt8] {
        let (text, head) = (json(people), json([]).count)
        func roundedUp(_ length: Int, to step: Int) -> Int { (length + step - 1) / step * step }
        let room = Self.step - Self.headStep
        let beyond = max(0, text.count - head - room)
        let length = roundedUp(head, to: Self.headStep) + room + roundedUp(beyond, to: Self.step)
        return text + [UInt8](repeating: UInt8(ascii: " "), count: length - text.count)
    }

    private func json(_ people: [Person]) -> [UInt8] {
        var json = JSONWriter()
        json.set("regions", objectsFor: regions) { region, json in json.set("id", region) }
        json.set("counting_ms", counting_ms)
        json.set("people", objectsFor: people) { person, json in
            json.set("region", person.region)
            json.set("name", person.name)
            json.set("entered_ms", person.entered_ms)
            json.set("heard_ms", person.heard_ms)
            json.set("rssi_dbm", person.rssi_dbm, decimals: 1)
            if person.wasThere { json.set("was_there", true) }
        }
        json.set("complete", isComplete)
        return json.finish()
    }
}

/// An announcement or a sealed report on its way to the broker: at once or never, and on no disk.
struct PeopleMessage: Hashable, Sendable, MessageContent {
    /// A broker need not deliver it later, seconds.
    private static let expiry_s: UInt32 = 10

    var topic: String
    var payload: [UInt8]

    package var handling: OutputHandling { .ofPresent }

    package func publication(by composer: inout MessageComposer, _ context: PublicationContext) -> Publication {
        Publication([
            .ephemeral(Message(topic: topic, payload: payload, .ephemeral, expiry_s: Self.expiry_s))
        ])
    }
}
