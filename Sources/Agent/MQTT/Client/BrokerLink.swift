import Core
import Glibc

/// The link to the broker: a lookup of its name, then a libmosquitto client. Delivery and `beacond check` use it.
package final class BrokerLink: BrokerConnection {
    private let settings: BrokerSettings
    private let clientID: String
    private let limits: IncomingLimits
    private let liveFilter: String?
    private var lookup: HostLookup?
    private var isLookupWanted = false
    private var lookupFailure: ConnectionFailure?
    private(set) var client: MosquittoClient?
    private var will: Message?
    /// True if the next attempt uses IPv4 alone. A host with addresses of both families is tried over IPv4 alone after
    /// an attempt without success, and the other way around. libmosquitto takes the first address that does not fail at
    /// once, even if no peer ever answers there.
    private var isIPv4Turn = false
    private var credentials: CredentialWatch

    /// - Parameters:
    ///   - clientID: the MQTT client identifier, unique among all clients of the broker.
    ///   - limits: the limits of what the broker may deliver.
    ///   - liveFilter: a filter of messages of others. Only what the broker has kept has the retain flag there.
    package init(
        settings: BrokerSettings, clientID: String, limits: IncomingLimits = .requests, liveFilter: String? = nil
    ) {
        self.limits = limits
        self.liveFilter = liveFilter
        self.settings = settings
        credentials = CredentialWatch(settings)
        self.clientID = clientID
    }

    package var now: BootInstant { BootClock.now }

    package func connect(will: Message?, after failure: ConnectionFailure? = nil) throws(ConnectionFailure) {
        drop()
        switch failure {
        case .unreachable, .connectTimedOut: isIPv4Turn.toggle()
        default: break
        }
        self.will = will
        isLookupWanted = true
        // The lookup of an earlier attempt is reused, so that a silent name server does not pile up threads.
        guard lookup == nil else { return }
        do throws(SystemError) {
            // libmosquitto resolves once more when it connects; by then the host is known to have an address.
            lookup = try HostLookup(host: settings.host)
        } catch {
            throw .machineAtItsLimit(detail: systemText(error.code))
        }
    }

    package func drop() {
        client = nil
        isLookupWanted = false
    }

    package func disconnect() { client?.disconnect() }

    package func subscribe(_ filter: String) { client?.subscribe(filter, retainAsPublished: filter != liveFilter) }

    package func unsubscribe(_ filter: String) { client?.unsubscribe(filter) }

    package func publish(_ message: Message) throws(PublishFailure) -> UInt16 {
        guard let client else { throw .connectionLost }
        return try client.publish(message)
    }

    package var isBackedUp: Bool { client?.isBackedUp ?? true }

    package var isOpen: Bool { client.map { $0.phase != .over } ?? false }

    package func wait(timeout_ms: Int32, wake: Int32) -> [ClientEvent] {
        var descriptors = [
            pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
            pollfd(fd: client?.descriptor ?? -1, events: client?.interest ?? 0, revents: 0),
            pollfd(fd: isLookupWanted ? lookup?.descriptor ?? -1 : -1, events: Int16(POLLIN), revents: 0),
        ]
        let patience = client?.patience_ms ?? .max
        let count = poll(&descriptors, nfds_t(descriptors.count), max(0, min(timeout_ms, patience)))
        let events = count > 0 ? descriptors[1].revents : 0
        if isLookupWanted { proceed() }
        guard let client else { return takeLookupFailure() }
        client.service(events: events)
        let heard: [ClientEvent] = events & Int16(POLLIN) != 0 ? [.heard] : []
        let changes = client.phase == .connected ? [credentials.change(at: now)].compactMap(\.self) : []
        return takeLookupFailure() + heard + client.takeEvents() + changes
    }

    private func takeLookupFailure() -> [ClientEvent] {
        defer { lookupFailure = nil }
        return lookupFailure.map { [.lost($0)] } ?? []
    }

    private func proceed() {
        guard let outcome = lookup?.outcome() else { return }
        lookup = nil
        isLookupWanted = false
        do throws(ConnectionFailure) {
            switch outcome {
            case .failed(_, let number) where ConnectionFailure.isLimit(number):
                throw .machineAtItsLimit(detail: systemText(number))
            case .failed(let detail, _): throw .hostNotFound(host: settings.host, detail: detail)
            case .found(let addresses):
                let client = try makeClient()
                let hasBoth = Set(addresses.map(\.family)).count > 1
                try client.connect(bindAddress: hasBoth && isIPv4Turn ? "0.0.0.0" : nil)
                self.client = client
            }
        } catch {
            lookupFailure = error
        }
    }

    private func makeClient() throws(ConnectionFailure) -> MosquittoClient {
        let password: String?
        do throws(PasswordError) {
            let directory = settings.readsCredentials ? Password.credentialsDirectory : nil
            password = try Password.read(file: settings.passwordFile, credentialsDirectory: directory)
            if password != nil, settings.username.isEmpty, settings.protocolVersion == .v3 {
                throw .withoutUsername(path: settings.passwordFile)
            }
        } catch {
            throw .password(error)
        }
        try credentials.willBeRead(at: now)
        return try MosquittoClient(
            settings: settings, clientID: clientID, limits: limits, will: will, password: password)
    }
}

/// Tells when the files of the certificate are others than those that the connection began with.
///
/// A connection needs no wake-up for that: its thread calls libmosquitto each second anyway.
struct CredentialWatch {
    private static let pause = TimeSpan.seconds(5)

    private let certificate: String
    private let key: String
    private let authorities: String
    private let name: String?
    private var seen: [FileStamp?] = []
    private var lastLook: BootInstant?

    init(_ settings: BrokerSettings) {
        certificate = settings.certificateFile
        key = settings.keyFile
        authorities = settings.caFile
        name = settings.certificateName
    }

    /// Records that a connection reads the files now. Throws where the certificate is that of another name: the broker would take this agent
    /// for the other one, whose topics these are not.
    mutating func willBeRead(at now: BootInstant) throws(ConnectionFailure) {
        lastLook = now
        seen = stamps
        if let foreign { throw foreign }
    }

    /// Returns whether the files have changed since the last call; `nil` where they have not. A key that does not belong to its certificate
    /// is no change yet: the operator has replaced only one of the two.
    mutating func change(at now: BootInstant) -> ClientEvent? {
        if certificate.isEmpty { return nil }
        if let lastLook, now - lastLook < Self.pause { return nil }
        lastLook = now
        let found = stamps
        guard found != seen else { return nil }
        seen = found
        guard (try? CertificateFile.fits(certificate: certificate, key: key).get()) == true else { return nil }
        return foreign.map { .certificateRefused($0) } ?? .certificateChanged
    }

    /// The failure of a certificate with another common name than the agent's; `nil` where the name is right, or can't be read.
    private var foreign: ConnectionFailure? {
        guard let name, case .success(let found) = CertificateFile.first(certificate), found.commonNames != [name]
        else {
            return nil
        }
        return .certificateOfAnother(path: certificate, name: found.owner, own: name)
    }

    private var stamps: [FileStamp?] { [certificate, key, authorities].map(FileStamp.init) }
}
