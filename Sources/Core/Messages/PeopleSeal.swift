// The protection of what gateways tell their store of people. Only `beacond site` reads it, so it is no part of the contract.
//
//     announcement  version (1) | public key of the store (32) | UTC, s (4) | age of that key, s (4) | code by the store's secret (32)
//     report        version (1) | public key of the report (32) | order (8) | encrypted | tag (16)
//
// UTC counts from the Unix epoch, and is 0 where the store's clock is not synchronised.
//
// The order is the age in the announcement (4), and the number of the report since that announcement (4), the most significant octet
// first. A gateway that starts again has no number, but waits for the next announcement. So the order of its reports only grows.
//
// The store makes a key pair for a day, in memory alone, and announces the public key. A gateway makes a key pair for each
// report. Both halves of X25519 and the secret of `site_key_file` give the key of the report. So a reader of the broker who
// gets the file later opens no earlier report: the private keys are gone.

extension TopicTree {
    /// The topic of announcements, where this is the store, and of reports, where it is a gateway.
    var people: String { root + "/people" }

    /// Returns the other gateway that reports on a topic; `nil` for any other topic.
    func gatewayReporting(on topic: String) -> String? {
        let levels = Topic.levels(topic.utf8.dropFirst(prefix.utf8.count))
        guard topic.utf8.starts(with: prefix.utf8), levels.count == 4, levels[0].isEmpty,
            levels[1].elementsEqual(site.utf8), levels[3].elementsEqual("people".utf8)
        else { return nil }
        let gateway = String(Substring(levels[2]))
        return TopicName.isLevel(gateway) && gateway != self.gateway ? gateway : nil
    }
}

private enum PeopleSeal {
    static let version: UInt8 = 1
    static let keyLength = X25519PrivateKey.length

    /// The octets before the code of an announcement, or before the encrypted part of a report.
    static let announced = 1 + keyLength + 4 + 4
    static let header = 1 + keyLength + 8

    static func octets(_ value: UInt32) -> [UInt8] { value.littleEndianOctets.reversed() }

    /// Returns the code that shows that the announcement comes from an owner of the store's secret.
    static func code(_ announced: [UInt8], siteKey: [UInt8], store: String) -> [UInt8]? {
        HKDFSHA256.key(from: siteKey, info: Array("beacond people announcement".utf8), length: HMACSHA256.length)
            .flatMap { HMACSHA256.code(for: announced + Array(store.utf8), key: $0) }
    }

    static func key(
        _ secret: [UInt8], siteKey: [UInt8], store: [UInt8], header: [UInt8], topic: String
    ) -> [UInt8]? {
        HKDFSHA256.key(
            from: secret, salt: siteKey, info: Array("beacond people report".utf8) + store + header + Array(topic.utf8),
            length: OneMessageCipher.keyLength)
    }
}

/// The store's half: it announces its key of the day, and opens reports.
struct PeopleOpener: Sendable {
    /// A report that was opened.
    struct Opened {
        /// The age of the key in the announcement that the gateway had, seconds.
        var age_s: UInt32 { UInt32(order >> 32) }
        /// Grows with each report of a gateway.
        var order: UInt64
        var content: [UInt8]
    }

    private let key: X25519PrivateKey
    private let siteKey: [UInt8]
    private let store: String

    /// - Parameters:
    ///   - random: 32 octets that stay in memory.
    ///   - store: the topic of announcements.
    init?(_ random: [UInt8], siteKey: [UInt8], store: String) {
        guard let key = X25519PrivateKey(random) else { return nil }
        (self.key, self.siteKey, self.store) = (key, siteKey, store)
    }

    /// Returns the payload that tells gateways the key.
    ///
    /// - Parameters:
    ///   - age_s: larger than in the announcement before.
    ///   - at: the time of day; `nil` where the clock is not synchronised.
    func announcement(age_s: UInt32, at: WallTime? = nil) -> [UInt8]? {
        let utc_s = at.map { UInt32(clamping: $0.microseconds / 1_000_000) } ?? 0
        let announced = [PeopleSeal.version] + key.publicKey + PeopleSeal.octets(utc_s) + PeopleSeal.octets(age_s)
        return PeopleSeal.code(announced, siteKey: siteKey, store: store).map { announced + $0 }
    }

    /// Returns a report; `nil` where no gateway with the store's secret has sealed it for this key and topic.
    func open(_ report: [UInt8], on topic: String) -> Opened? {
        guard report.first == PeopleSeal.version, report.count > PeopleSeal.header else { return nil }
        let header = Array(report.prefix(PeopleSeal.header))
        return key.secret(with: Array(header[1...PeopleSeal.keyLength]))
            .flatMap {
                PeopleSeal.key($0, siteKey: siteKey, store: key.publicKey, header: header, topic: topic)
            }
            .flatMap { OneMessageCipher.open(Array(report.dropFirst(PeopleSeal.header)), key: $0) }
            .map { Opened(order: header.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }, content: $0) }
    }
}

/// A gateway's half: it names people by the key of the day, and seals reports.
struct PeopleSealer: Sendable {
    private let store: [UInt8]
    private let age: [UInt8]
    /// The store's time in the announcement; `nil` where its clock was not synchronised.
    let announcedAt: WallTime?
    private let siteKey: [UInt8]
    private let nameKey: [UInt8]
    private var number: UInt32 = 0

    /// - Parameter announcement: the store's. Returns `nil` where no owner of the store's secret made it.
    init?(_ announcement: [UInt8], siteKey: [UInt8], store topic: String) {
        let (announced, code) = (
            announcement.prefix(PeopleSeal.announced), announcement.dropFirst(PeopleSeal.announced)
        )
        guard announced.first == PeopleSeal.version, !code.isEmpty else { return nil }
        store = Array(announced[1...PeopleSeal.keyLength])
        age = Array(announced.suffix(4))
        let utc_s = announced.dropLast(4).suffix(4).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        announcedAt = utc_s == 0 ? nil : WallTime(microseconds: utc_s * 1_000_000)
        guard let right = PeopleSeal.code(Array(announced), siteKey: siteKey, store: topic), code.elementsEqual(right),
            let nameKey = HKDFSHA256.key(
                from: siteKey, salt: store, info: Array("beacond people names".utf8), length: HMACSHA256.length)
        else { return nil }
        (self.siteKey, self.nameKey) = (siteKey, nameKey)
    }

    /// Returns the pseudonym of a person, 16 hexadecimal digits. All gateways of the store make the same from this announcement.
    func name(_ person: String) -> String? {
        HMACSHA256.code(for: Array(person.utf8), key: nameKey)?.prefix(8).hexadecimal
    }

    /// Returns whether the announcement came after that of another sealer, or has another key.
    func isNewer(than other: PeopleSealer) -> Bool { !hasKey(of: other) || other.age.lexicographicallyPrecedes(age) }

    /// Returns whether it is of the same key as another sealer. The age of the key, which no clock sets, then orders both.
    func hasKey(of other: PeopleSealer) -> Bool { store == other.store }

    /// Returns a report for the gateway's topic.
    ///
    /// - Parameter random: 32 octets that serve this report alone.
    mutating func seal(_ content: [UInt8], on topic: String, random: [UInt8]) -> [UInt8]? {
        guard let key = X25519PrivateKey(random), let secret = key.secret(with: store) else { return nil }
        number &+= 1
        let header = [PeopleSeal.version] + key.publicKey + age + PeopleSeal.octets(number)
        return PeopleSeal.key(secret, siteKey: siteKey, store: store, header: header, topic: topic)
            .flatMap { OneMessageCipher.seal(content, key: $0) }
            .map { header + $0 }
    }
}
