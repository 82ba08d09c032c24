// The protection of what gateways tell their store of people. Only `beacond site` reads it, so it is no part of the contract.
//
//     announcement  version (1) | public key of the store (32) | code by the store's secret (32)
//     report        version (1) | public key of the report (32) | encrypted | tag (16)
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

    /// Returns the code that shows that the announcement comes from an owner of the store's secret.
    static func code(_ publicKey: [UInt8], siteKey: [UInt8], store: String) -> [UInt8]? {
        HKDFSHA256.key(from: siteKey, info: Array("beacond people announcement".utf8), length: HMACSHA256.length)
            .flatMap { HMACSHA256.code(for: [version] + publicKey + Array(store.utf8), key: $0) }
    }

    /// Returns the key of one report.
    static func key(
        _ secret: [UInt8], siteKey: [UInt8], store: [UInt8], report: [UInt8], topic: String
    ) -> [UInt8]? {
        HKDFSHA256.key(
            from: secret, salt: siteKey, info: Array("beacond people report".utf8) + store + report + Array(topic.utf8),
            length: OneMessageCipher.keyLength)
    }
}

/// The store's half: it announces its key of the day, and opens reports.
struct PeopleOpener: Sendable {
    private let key: X25519PrivateKey
    private let siteKey: [UInt8]
    /// The payload that tells gateways the key.
    let announcement: [UInt8]

    /// - Parameters:
    ///   - random: 32 octets that stay in memory.
    ///   - store: the topic of announcements.
    init?(_ random: [UInt8], siteKey: [UInt8], store: String) {
        guard let key = X25519PrivateKey(random),
            let code = PeopleSeal.code(key.publicKey, siteKey: siteKey, store: store)
        else { return nil }
        (self.key, self.siteKey) = (key, siteKey)
        announcement = [PeopleSeal.version] + key.publicKey + code
    }

    /// Returns the content of a report; `nil` where no gateway with the store's secret has sealed it for this key and topic.
    func open(_ report: [UInt8], on topic: String) -> [UInt8]? {
        guard report.first == PeopleSeal.version, report.count > PeopleSeal.keyLength else { return nil }
        let publicKey = Array(report[1...PeopleSeal.keyLength])
        return key.secret(with: publicKey)
            .flatMap {
                PeopleSeal.key($0, siteKey: siteKey, store: key.publicKey, report: publicKey, topic: topic)
            }
            .flatMap { OneMessageCipher.open(Array(report.dropFirst(1 + PeopleSeal.keyLength)), key: $0) }
    }
}

/// A gateway's half: it names people by the key of the day, and seals reports.
struct PeopleSealer: Sendable {
    private let store: [UInt8]
    private let siteKey: [UInt8]
    private let nameKey: [UInt8]

    /// - Parameter announcement: the store's. Returns `nil` where no owner of the store's secret made it.
    init?(_ announcement: [UInt8], siteKey: [UInt8], store topic: String) {
        guard announcement.first == PeopleSeal.version, announcement.count > PeopleSeal.keyLength else { return nil }
        store = Array(announcement[1...PeopleSeal.keyLength])
        guard let code = PeopleSeal.code(store, siteKey: siteKey, store: topic),
            announcement.dropFirst(1 + PeopleSeal.keyLength).elementsEqual(code),
            let nameKey = HKDFSHA256.key(
                from: siteKey, salt: store, info: Array("beacond people names".utf8), length: HMACSHA256.length)
        else { return nil }
        (self.siteKey, self.nameKey) = (siteKey, nameKey)
    }

    /// Returns the pseudonym of a person, 16 hexadecimal digits. All gateways of the store make the same from this announcement.
    func name(_ person: String) -> String? {
        HMACSHA256.code(for: Array(person.utf8), key: nameKey)?.prefix(8).hexadecimal
    }

    /// Returns a report for the gateway's topic.
    ///
    /// - Parameter random: 32 octets that serve this report alone.
    func seal(_ content: [UInt8], on topic: String, random: [UInt8]) -> [UInt8]? {
        guard let key = X25519PrivateKey(random), let secret = key.secret(with: store),
            let reportKey = PeopleSeal.key(
                secret, siteKey: siteKey, store: store, report: key.publicKey, topic: topic),
            let sealed = OneMessageCipher.seal(content, key: reportKey)
        else { return nil }
        return [PeopleSeal.version] + key.publicKey + sealed
    }
}
