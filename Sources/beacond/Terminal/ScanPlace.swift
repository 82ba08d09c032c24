import Agent
import Core
import Logging
import Synchronization

/// The place for `beacond scan --location`: gpsd's receivers by the agent's rules, without pauses and rests.
struct ScanPlace {
    private let client: GPSDClient
    private var services: LocationServices
    private var failure: GPSDFailure?
    /// News of the location services, which a scan shows as a state.
    private var outputs: [LocationOutput] = []

    /// Where the configuration names no gpsd, the usual one is asked.
    init(_ settings: LocationSettings?, at now: Instant) throws(SystemError) {
        var settings = settings ?? .defaults
        var place = HostPort(host: "127.0.0.1", port: 2947)
        if case .gpsd(let host, let port) = settings.source { place = HostPort(host: host, port: port) }
        settings.source = .gpsd(host: place.host, port: place.port)
        settings.service = .standard
        settings.pausing = nil
        settings.deferral = nil
        services = LocationServices(settings, longestGap: .seconds(60), at: now)
        client = try GPSDClient(place, wake: {})
        try client.start()
        client.listen(true)
    }

    mutating func look(at now: Instant) -> ScanLocation {
        for new in client.take() { take(new, at: now) }
        services.advance(to: now, outputs: &outputs)
        outputs.removeAll(keepingCapacity: true)
        return ScanLocation(
            availability: services.status.availability, fix: services.last,
            age: services.last?.age(at: now) ?? .zero, counts: services.figures(at: now).fixes,
            remedy: failure.map { "\($0): \($0.remedy)" } ?? "")
    }

    func stop() { client.stop() }

    private mutating func take(_ new: GPSDUpdate, at now: Instant) {
        switch new {
        case .connected: failure = nil
        case .devices(let paths): services.found(devices: paths, at: now, outputs: &outputs)
        case .report(let report, let came):
            services.take(report, at: came, clock: SystemClock.syncedWall(came), outputs: &outputs)
        case .malformed: services.takeMalformed()
        case .complaint: break
        case .lost(let failure):
            self.failure = failure
            services.lostConnection(at: now, outputs: &outputs)
        }
    }
}

/// The obstacle between the configured adapters and scanning, for an installer to read.
///
/// The survey knows more than the radio loop: the adapters' names, and why there is none. It is repeated only when the
/// availability changes.
struct RadioStatus {
    private let settings: RadioSettings
    private let receiver: ReceiverSettings?
    private(set) var availability: RadioAvailability?
    /// `hci0 (00:1A:7D:DA:71:13)`, or the configured name where the adapter is missing; a receiver's topics.
    private(set) var adapters: String
    private(set) var remedy = ""

    init(_ settings: Settings) {
        self.settings = settings.radio
        receiver = settings.receiver
        adapters =
            receiver?.topic ?? Self.names(AdapterSurvey.current().reports(on: settings.radio, mayAdminister: false))
    }

    mutating func record(_ availability: RadioAvailability?) {
        guard let availability, availability != self.availability else { return }
        self.availability = availability
        if let receiver {
            remedy = RadioCondition(availability, receiver: receiver.topic).remedy
            return
        }
        let reports = AdapterSurvey.current().reports(on: settings, mayAdminister: false)
        adapters = Self.names(reports)
        remedy = reports.first { $0.obstacle == availability }?.remedy ?? availability.remedy
    }

    private static func names(_ reports: [AdapterReport]) -> String { reports.map(\.name).joined(separator: ", ") }
}

/// The radio of a command that only looks: the adapters, or the receiver over a connection of the command's own.
final class CommandRadio {
    private let loop: RadioLoop
    private let connection: ReceiverConnection?

    init(_ settings: Settings, logger: Logger) throws(SystemError) {
        guard let receiver = settings.receiver else {
            loop = try RadioLoop(.adapters(settings.radio), logger: logger)
            connection = nil
            return
        }
        let inbox = try ReceiverInbox(filter: receiver.topic)
        loop = try RadioLoop(.receiver(receiver, inbox, wall: SystemClock.syncedWall), logger: logger)
        connection = try ReceiverConnection(
            receiver.broker ?? settings.broker, clientID: Self.clientID(settings), filter: receiver.topic,
            inbox: inbox, logger: logger)
    }

    /// The daemon's own name would end its connection.
    static func clientID(_ settings: Settings) -> String { Publisher.clientID(settings.identity.topics) + "-scan" }

    func start(owner: sending some RadioOwner) throws(SystemError) { try loop.start(owner: owner) }

    func stop() {
        connection?.end()
        loop.stop()
    }
}

/// Keeps the last message of the radio, for a screen on which log lines would smear the picture.
final class NoticeBoard: Sendable {
    private let text = Mutex("")

    var last: String { text.withLock(\.self) }

    /// A logger for messages from level `notice` on.
    var logger: Logger {
        var logger = Logger(label: "beacond") { _ in Handler(board: self) }
        logger.logLevel = .notice
        return logger
    }

    private struct Handler: LogHandler {
        let board: NoticeBoard
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.notice

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { board.text.withLock { $0 = "\(event.message)" } }
    }
}
