import Agent
import Core
import Logging
import Synchronization

/// The gateway's settings over MQTT while it runs: it opens the stored ones, takes new ones, and stores each change before it
/// acts on it.
///
/// The start and the end come from the program, everything else from the delivery loop's thread. They never overlap.
final class SettingsDesk: SettingsReceiver, @unchecked Sendable {
    /// The most messages that are tried: ten in a row, then one in 5 s. Only the latest of those beyond is kept.
    private static let interval = TimeSpan.seconds(5)

    let topic: String
    /// The configuration in effect.
    let configuration: ConfigurationInEffect
    private let file: SettingsFile
    private let gateway: String
    private let bootID = SystemClock.bootID
    private let logger: Logger
    /// Makes the agent start again with the configuration in effect.
    private let reload: @Sendable () -> Void
    private let pace: SettingsPace
    private var ledger: SettingsLedger
    private var pending: IncomingMessage.Payload?
    private var tries = TokenBucket(interval: SettingsDesk.interval, burst: 10)

    /// Opens the stored settings. The caller holds the state folder.
    ///
    /// - Parameter isFirst: whether the process begins, and has not only read its configuration again.
    init(
        _ file: ConfigurationFile.Loaded, isFirst: Bool, pace: SettingsPace, logger: Logger,
        reload: @escaping @Sendable () -> Void
    ) {
        let topics = file.settings.identity.topics
        topic = topics.desiredSettings
        gateway = topics.site + "/" + topics.gateway
        self.file = SettingsFile(in: file.settings.outbox.directory)
        (self.logger, self.reload, self.pace) = (logger, reload, pace)
        let (stored, complaint) = self.file.read()
        var ledger = stored
        let hasBegun = isFirst && ledger.begin(at: SystemClock.now, bootID: bootID)
        configuration = ConfigurationInEffect(file, ledger)
        let isNew = ledger.record(misfit: configuration.misfit)
        self.ledger = ledger
        if let complaint { logger.error("settings: \(complaint)") }
        if hasBegun || isNew { store() }
        if let version = configuration.settings.inEffect?.version {
            logger.info("settings: version \(version) is in effect")
        }
        if let report = ledger.report { log(report) }
    }

    /// The outcome of the latest message; `nil` before the first.
    var report: SettingsReport? { ledger.report }

    /// The process ends in order.
    func end() { if ledger.end() { store() } }

    func receive(_ payload: IncomingMessage.Payload) { pending = payload }

    func advance(to now: Instant) -> [GatewayOutput] {
        if ledger.advance(to: now) { store() }
        guard let payload = pending, tries.take(at: now) else { return [] }
        pending = nil
        let octets: [UInt8]? = if case .bytes(let octets) = payload { octets } else { nil }
        var next = ledger
        let decision = next.receive(
            octets, for: gateway, signer: configuration.settings.fleet.signer, at: now, bootID: bootID, trial: trial)
        if decision == .taken, !pace.take(at: now) {
            // A later message replaces this one while it waits.
            pending = payload
            return []
        }
        let before = ledger
        ledger = next
        switch decision {
        case .ignored: return []
        case .refused: store()
        case .taken:
            if store() {
                logger.notice("settings: version \(ledger.version ?? 0) is taken")
                reload()
                return []
            }
            let version = ledger.version ?? 0
            ledger = before
            ledger.fail(toStore: file.path, version: version)
        }
        guard let report = ledger.report else { return [] }
        log(report)
        let digest = configuration.settings.inEffect?.digest ?? ""
        return [.message(SettingsOutcome(report, digest: digest), at: now)]
    }

    /// Reads the gateway's file with other tables, as a start would.
    private func trial(_ tables: [String: DocumentValue]) -> ConfigurationErrors? {
        do throws(ConfigurationFile.Problem) {
            let file = try ConfigurationFile.read(configuration.path, for: .gateway, replacing: tables)
            return file.settings.excess(of: tables)
        } catch {
            return error.errors
        }
    }

    /// - Returns: whether it is on the disk.
    @discardableResult
    private func store() -> Bool {
        do throws(FileError) {
            try file.write(ledger)
            return true
        } catch {
            logger.error("settings: \(error)")
            return false
        }
    }

    private func log(_ report: SettingsReport) {
        for error in report.errors {
            let table = error.table + (error.index.map { "[\($0)]" } ?? "")
            let place = [table, error.key].filter { !$0.isEmpty }
            let version = report.version.map { "version \($0)" } ?? "a message without a version"
            let subject = place.isEmpty ? "" : place.joined(separator: ".") + " "
            logger.error("settings: \(version) \(report.outcome.rawValue): \(subject)\(error.reason); \(error.remedy)")
        }
    }
}

/// The pace at which a process takes settings. Each change starts the agent's parts again, so a client that may publish settings
/// could keep a gateway from hearing.
final class SettingsPace: Sendable {
    /// Twenty changes in a row, then one in 30 s.
    private let changes = Mutex(TokenBucket(interval: .seconds(30), burst: 20))

    /// Returns whether a change may be made now.
    func take(at now: Instant) -> Bool { changes.withLock { $0.take(at: now) } }
}
