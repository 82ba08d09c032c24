/// The settings that a gateway has taken over MQTT: which are in effect, which it goes back to, and what it has reported.
///
/// The caller stores the ledger after each verb that returns `true`, before it acts on the change. A process that is killed
/// between two steps finds either the ledger before or the one after.
///
/// New settings are on probation for ten minutes. A process that ends abnormally within that time counts against them. After
/// the second one, the settings before are in effect again, and the failed version is not taken any more.
package struct SettingsLedger: Hashable, Sendable {
    /// Tables with their version.
    struct Revision: Hashable, Sendable {
        var version: Int64
        var tables: [String: DocumentValue]
    }

    /// The time for which new settings are watched.
    static let probation = TimeSpan.seconds(600)
    /// The abnormal ends within the probation after which the settings are taken back.
    static let maxFailures = 2
    /// The former settings that are kept while none has passed its probation. The file alone is behind the last of them.
    static let maxFormer = 4

    /// A watch over new settings.
    struct Probation: Hashable, Sendable {
        /// The processes that used the settings and have not ended in order; the running one is among them.
        var openProcesses: Int
        /// The start of the ten minutes, by the monotonic clock of the boot.
        var since: Instant
        /// The boot of that clock.
        var bootID: String
        /// The settings to go back to, the latest first; `nil` is the file alone.
        var former: [Revision?]
    }

    enum State: Hashable, Sendable {
        /// The file alone is in effect.
        case file
        case watched(Revision, Probation)
        case settled(Revision)
    }

    var state = State.file
    /// The highest version that has ever been in effect. A version up to it is ignored.
    var highestVersion: Int64 = 0
    /// The outcome of the latest message; `nil` before the first.
    package internal(set) var report: SettingsReport?

    package init() {}

    /// The settings in effect; `nil` for the file alone.
    private var revision: Revision? {
        switch state {
        case .file: nil
        case .watched(let revision, _), .settled(let revision): revision
        }
    }

    /// The version in effect; `nil` for the file alone.
    package var version: Int64? { revision?.version }

    /// The tables in effect, which replace those of the file.
    package var tables: [String: DocumentValue] { revision?.tables ?? [:] }

    // MARK: - Processes

    /// A process begins, and uses the settings that are in effect afterwards.
    package mutating func begin(at now: Instant, bootID: String) -> Bool {
        guard case .watched(let revision, var probation) = state else { return false }
        if probation.openProcesses >= Self.maxFailures {
            revert(revision, probation)
            // The former settings may be on probation too, and this process uses them.
            guard case .watched(let former, var probation) = state else { return true }
            probation.restart(at: now, bootID: bootID)
            state = .watched(former, probation)
            return true
        }
        if probation.bootID != bootID {
            // The time between two boots is not known. So the ten minutes begin again.
            probation.since = now
            probation.bootID = bootID
        } else if now - probation.since >= Self.probation {
            state = .settled(revision)
            return true
        }
        probation.openProcesses += 1
        state = .watched(revision, probation)
        return true
    }

    private mutating func revert(_ failed: Revision, _ probation: Probation) {
        var former = probation.former
        let next = former.isEmpty ? nil : former.removeFirst()
        switch next {
        case nil: state = .file
        case .some(let revision):
            state =
                former.isEmpty
                ? .settled(revision)
                : .watched(revision, Probation(openProcesses: 0, since: .origin, bootID: "", former: former))
        }
        report = SettingsReport(
            version: failed.version, outcome: .reverted,
            errors: [
                SettingsError(
                    reason: "the agent ended abnormally \(Self.maxFailures) times within "
                        + "\(Self.probation.microseconds / 60_000_000) minutes with these settings",
                    remedy: "read the agent's log, and publish other tables with a higher version")
            ])
    }

    /// The process ends in order, so its end says nothing against the settings.
    package mutating func end() -> Bool {
        guard case .watched(let revision, var probation) = state, probation.openProcesses > 0 else { return false }
        probation.openProcesses -= 1
        state = .watched(revision, probation)
        return true
    }

    /// Time has passed. Settings that have worked for ten minutes are kept.
    package mutating func advance(to now: Instant) -> Bool {
        guard case .watched(let revision, let probation) = state, now - probation.since >= Self.probation else {
            return false
        }
        state = .settled(revision)
        return true
    }

    // MARK: - Messages

    /// The result of a message.
    package enum Decision: Hashable, Sendable {
        /// Nothing has changed: an empty message, or a version that is not new.
        case ignored
        /// The ledger has a new report to store and to publish.
        case refused
        /// The ledger has other tables, to store and then to start with.
        case taken
    }

    /// A message arrives.
    ///
    /// - Parameters:
    ///   - octets: the payload; `nil` where it was too long to be kept.
    ///   - gateway: `SITE/ID` of this gateway.
    ///   - signer: the key whose owner has to sign; `nil` where no signature is asked for.
    ///   - trial: reads the gateway's file with these tables in place of its own. Returns the errors.
    package mutating func receive(
        _ octets: [UInt8]?, for gateway: String, signer: Ed25519PublicKey?, at now: Instant, bootID: String,
        trial: ([String: DocumentValue]) -> ConfigurationErrors?
    ) -> Decision {
        guard let octets else {
            let error = DesiredSettings.Fault.tooLong.error
            return refuse(SettingsReport(version: nil, outcome: .refused, errors: [error]))
        }
        // A new broker has nothing retained, and an operator clears the topic: neither resets a gateway.
        if octets.isEmpty { return .ignored }
        let desired: DesiredSettings
        do throws(DesiredSettings.Fault) {
            desired = try DesiredSettings(reading: octets)
            guard desired.version > highestVersion else { return .ignored }
            if let signer { try desired.check(signedBy: signer, for: gateway) }
        } catch {
            return refuse(SettingsReport(version: error.version, outcome: .refused, errors: [error.error]))
        }
        let refusals = desired.refusals
        let allowed = desired.tables.filter { EffectiveConfiguration.remoteTables.contains($0.key) }
        let errors = trial(allowed)
        guard refusals.isEmpty, errors == nil else {
            return refuse(SettingsReport(refusing: desired.version, refusals, errors))
        }
        take(Revision(version: desired.version, tables: desired.tables), at: now, bootID: bootID)
        return .taken
    }

    /// The disk has no room for a message's tables, so they are not taken. A later connection tries again.
    package mutating func fail(toStore path: String, version: Int64) {
        report = SettingsReport(
            version: version, outcome: .refused,
            errors: [
                SettingsError(
                    reason: "\(path) could not be written, and settings that a power cut would lose are not used",
                    remedy: "see the agent's log, and check the state folder")
            ])
    }

    /// Refuses a message. A repetition says nothing new.
    private mutating func refuse(_ report: SettingsReport) -> Decision {
        guard self.report != report else { return .ignored }
        self.report = report
        return .refused
    }

    private mutating func take(_ revision: Revision, at now: Instant, bootID: String) {
        var former: [Revision?] = [self.revision]
        if case .watched(_, let probation) = state { former += probation.former }
        // This process goes on with the new settings, so it counts among those that used them.
        let probation = Probation(
            openProcesses: 1, since: now, bootID: bootID, former: Array(former.prefix(Self.maxFormer)))
        state = .watched(revision, probation)
        highestVersion = revision.version
        report = SettingsReport(version: revision.version, outcome: .applied)
    }

    /// The stored tables were read with the file.
    ///
    /// - Parameter errors: the reason for which they do not fit the file any more, so that the file alone is in effect. They
    ///   stay stored: a corrected file takes them again.
    package mutating func record(misfit errors: ConfigurationErrors?) -> Bool {
        guard let revision else { return false }
        let before = report
        if let errors {
            report = SettingsReport(refusing: revision.version, [], errors)
        } else if report?.version == revision.version {
            report = SettingsReport(version: revision.version, outcome: .applied)
        }
        return report != before
    }
}

extension SettingsLedger.Probation {
    mutating func restart(at now: Instant, bootID: String) {
        openProcesses = 1
        since = now
        self.bootID = bootID
    }
}
