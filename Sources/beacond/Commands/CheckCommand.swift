import Agent
import ArgumentParser
import Core
import Glibc

/// `beacond check`: what an installer asks before the agent is started.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check configuration, certificate, state folder, other files, adapter, permission and broker.",
        discussion: """
            Each line begins with ok, warning, problem or skipped. Below a problem stands its remedy. A warning changes no exit status.

            Exit status: 0 all is well; 78 the configuration is wrong, or there is a problem.
            """)

    @Option(help: .configurationFile)
    var config: String?

    func run() throws {
        try StartReserve.orExit()
        var report = CheckReport()
        let configuration: ConfigurationInEffect
        do throws(ConfigurationFile.Problem) {
            configuration = try ConfigurationInEffect(config)
        } catch {
            // The adapter can be checked without a configuration.
            report.add(error)
            report.addNotTried(["state"])
            check(Settings.defaults, into: &report)
            report.addNotTried(["broker"])
            report.print()
            throw ExitCode.configuration
        }
        let settings = configuration.settings
        report.add("configuration", "valid, regions: \(settings.gateway.regions.configured.count)", remedy: "")
        if settings.gateway.regions.configured.isEmpty {
            report.warn(
                "regions",
                "no [[region]] is configured, so no entry, exit or ranging is published; beacond scan lists the UUIDs that are heard"
            )
        }
        report.addSecrets(settings)
        report.addCertificates(settings.broker, at: SystemClock.timebase.wall(SystemClock.now))
        report.add(configuration)
        checkState(settings.outbox, settings.identity.topics, into: &report)
        report.addFiles(settings)
        check(settings, into: &report)
        checkLocation(settings.gateway, into: &report)
        checkBroker(settings, into: &report)
        report.print()
        if report.hasProblem { throw ExitCode.configuration }
    }

    private func check(_ settings: Settings, into report: inout CheckReport) {
        if let receiver = settings.receiver { return check(receiver, settings, into: &report) }
        let mayAdminister = ProcessCapabilities.current().mayAdminister
        for adapter in AdapterSurvey.current().reports(on: settings.radio, mayAdminister: mayAdminister) {
            report.add("adapter", "\(adapter)", remedy: adapter.remedy)
        }
        report.add("recovery", Self.recovery(mayAdminister), remedy: "")
    }

    /// Listens for as long as a receiver may be silent.
    private func check(_ receiver: ReceiverSettings, _ settings: Settings, into report: inout CheckReport) {
        let broker = receiver.broker ?? settings.broker
        let outcome = BrokerListening.run(
            settings: broker, clientID: Publisher.clientID(settings.identity.topics) + "-check",
            filters: [receiver.topic], limits: ReceiverConnection.limits, live: true, for: .seconds(12),
            longer: (.seconds(25), { $0.count { !$0.message.isRetained } == 1 }))
        let place = "\(receiver.topic) on \(broker.host):\(broker.port)"
        switch outcome {
        case .failed(let failure): report.add("receiver", "\(place): \(failure)", remedy: failure.remedy)
        case .refused(_, let reason):
            report.add(
                "receiver", "\(place): the broker does not let this agent read it: \(reason)",
                remedy: "allow it in the broker's access list: topic read \(receiver.topic)")
        case .heard(let messages):
            let finding = ReceiverFinding(receiver, messages)
            for warning in finding.warnings { report.warn("receiver", warning) }
            report.add("receiver", "\(place): \(finding.line)", remedy: finding.remedy)
        }
    }

    private func checkState(_ outbox: OutboxSettings, _ topics: TopicTree, into report: inout CheckReport) {
        let path = outbox.directory
        let finding = StateFolderTrial.run(
            directory: path, owner: GatewayIdentity(topics).name, limits: OutboxLimits(outbox))
        switch finding {
        case .writable: report.add("state", "\(path) can be written", remedy: "")
        case .heldByOwner: report.add("state", "\(path) is in use by this gateway's agent", remedy: "")
        case .held(let holder):
            report.add(
                "state", "\(path) is in use by \(holder.map { "the agent of \($0)" } ?? "another beacond")",
                remedy: "this gateway's agent can't start before that one ends; else give it a state_dir of its own")
        case .refused(let condition):
            var remedy = condition.remedy
            if condition.cause == .notPermitted { remedy += ", and check as that user" }
            if condition.cause != .damaged { remedy += "; until then events are kept in memory only" }
            report.add("state", "\(path): \(condition.finding)", remedy: remedy)
        }
    }

    /// Nothing is said where neither the configuration nor a region asks for the place.
    private func checkLocation(_ gateway: GatewaySettings, into report: inout CheckReport) {
        let located = gateway.regions.configured.map(\.kind).filter(\.needsFixes)
        let names = Set(located.map { "\($0.name)s" }).sorted().joined(separator: " and ")
        switch gateway.location?.source {
        case nil where located.isEmpty: break
        case nil, .some(.none):
            report.add(
                "location", LocationAvailability.off.rawValue,
                remedy: located.isEmpty
                    ? ""
                    : "nothing says where this gateway is, and \(names) among its regions: \(located.count); set source in [location]"
            )
        case .fixed(let place, let accuracy_m):
            report.add(
                "location",
                "\(LocationAvailability.located.rawValue): fixed at \(place.latitude), \(place.longitude), to \(accuracy_m) m",
                remedy: "")
        case .gpsd(let host, let port):
            let finding = GPSDCheck.run(
                HostPort(host: host, port: port), desiredAccuracy_m: gateway.location?.desiredAccuracy_m ?? .infinity)
            report.add("location", "\(finding.availability.rawValue): \(finding)", remedy: finding.remedy)
        }
    }

    /// Having it is a choice: neither is a problem.
    private static func recovery(_ mayAdminister: Bool) -> String {
        mayAdminister
            ? "with CAP_NET_ADMIN: the agent switches on adapters that no operator has switched off, and resets dead ones"
            : "without CAP_NET_ADMIN, which is optional: an operator has to switch adapters on and reset dead ones"
    }

    private func checkBroker(_ settings: Settings, into report: inout CheckReport) {
        // The daemon's own name would end its connection.
        let topics = settings.identity.topics
        let outcome = BrokerCheck.run(
            settings: settings.broker, clientID: Publisher.clientID(topics) + "-check",
            publishing: Self.probe(settings.gateway.regions, topics))
        let broker = "\(settings.broker.host):\(settings.broker.port)"
        report.add("broker", broker + Self.finding(outcome, settings.broker, topics), remedy: outcome.remedy ?? "")
    }

    private static func finding(_ outcome: BrokerCheck.Outcome, _ broker: BrokerSettings, _ topics: TopicTree)
        -> String
    {
        switch outcome {
        // MQTT 3.1.1 has no word for a refusal: what is refused is acknowledged like anything else.
        case .reachable where broker.protocolVersion == .v3:
            " accepts us; with mqtt.protocol = 3 it can't say whether we may publish below \(topics.root)"
        case .reachable(let limits) where !limits.isQoS1Available: " accepts us, but takes no QoS 1"
        case .reachable(let limits) where !limits.hasRoomForEvents:
            " accepts us, but no packets above \(limits.longestPacket_bytes ?? 0) octets"
        case .reachable: " accepts us, and what we publish below \(topics.root)"
        case .refused(let topic, let reason): " accepts us, but refuses what we publish on \(topic): \(reason)"
        case .hungUp(let topic, let failure): " accepts us, but not what we publish on \(topic): \(failure)"
        case .failed(let failure): ": \(failure)"
        }
    }

    /// A publication without an effect, on the topic of an event: an empty message that clears the state of a region that there is not.
    private static func probe(_ regions: RegionSettings, _ topics: TopicTree) -> Message {
        var name = "beacond-check"
        while regions.configured.contains(where: { $0.id == name }) { name += "-" }
        return Message(
            topic: topics.state(RegionInstanceID(region: name)), payload: [], .retained)
    }
}

/// One line for each thing that was looked at.
struct CheckReport {
    private(set) var lines: [String] = []
    private(set) var hasProblem = false

    /// - Parameter remedy: what to do; empty where nothing is wrong.
    mutating func add(_ subject: String, _ finding: String, remedy: String) {
        lines.append("\(remedy.isEmpty ? "ok     " : "problem") \(subject): \(finding)")
        if !remedy.isEmpty {
            hasProblem = true
            lines.append("        \(remedy)")
        }
    }

    /// Adds each error of a configuration, which names its own remedy.
    mutating func add(_ problem: ConfigurationFile.Problem) {
        hasProblem = true
        lines += problem.lines.map { "problem configuration: \($0)" }
    }

    /// Adds the settings over MQTT, where the gateway takes any.
    mutating func add(_ configuration: ConfigurationInEffect) {
        guard configuration.settings.fleet.takesSettings else { return }
        if let complaint = configuration.complaint { warn("settings", complaint) }
        let version = configuration.settings.inEffect?.version.map { "version \($0) of settings/desired" }
        let digest = configuration.settings.inEffect?.digest ?? ""
        add("settings", "\(version ?? "the file alone"), digest \(digest)", remedy: "")
        for line in configuration.misfitLines { warn("settings", line) }
    }

    /// Adds what works today and needs a change some day. It changes no exit status.
    mutating func warn(_ subject: String, _ finding: String) { lines.append("warning \(subject): \(finding)") }

    /// Adds the subjects that can't be tried before the configuration is right.
    mutating func addNotTried(_ subjects: [String]) {
        lines += subjects.map { "skipped \($0): not tried; correct the configuration first" }
    }

    /// The columns of a line's first word, and the indent of the lines below.
    private static let indent = 8

    /// Returns lines that break between words at the terminal's width, below the text of their first line.
    ///
    /// - Parameter isColoured: whether the word `problem` is red.
    static func laidOut(_ lines: [String], width: Int, isColoured: Bool) -> [String] {
        lines.flatMap { line in
            var rows: [String] = []
            for word in line.dropFirst(indent).split(separator: " ") {
                if let last = rows.last, last.count + 1 + word.count <= width - indent {
                    rows[rows.count - 1] += " " + word
                } else {
                    rows.append(String(word))
                }
            }
            let first = String(line.prefix(indent))
            let head = isColoured && first == "problem " ? "\u{1B}[31mproblem\u{1B}[0m " : first
            let below = String(repeating: " ", count: indent)
            return rows.enumerated().map { ($0.offset == 0 ? head : below) + $0.element }
        }
    }

    func print() {
        var lines = lines
        if Terminal.isThere {
            lines = Self.laidOut(lines, width: Terminal().size.width, isColoured: Terminal.takesColours)
        }
        Output.write(lines.joined(separator: "\n") + "\n", to: STDOUT_FILENO)
    }
}

/// The files that hold secrets.
extension CheckReport {
    /// Adds those that each user of the machine can read or write.
    mutating func addSecrets(_ settings: Settings) {
        addSecret("password", settings.broker.passwordFile)
        addSecret("key", settings.broker.keyFile)
        addSecret("secret", settings.privacy.siteKeyFile ?? "")
    }

    private mutating func addSecret(_ subject: String, _ path: String) {
        var status = stat()
        guard !path.isEmpty, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        guard status.st_mode & (S_IROTH | S_IWOTH) != 0 else { return }
        let mode = String(status.st_mode & 0o777, radix: 8)
        add(
            subject, "\(path) is open to each user of this machine (mode \(mode))",
            remedy: "chmod 600 \(path) where the agent's user owns it; chmod 640 \(path) where the user's group does")
    }
}

/// The places beside the state folder that the agent writes to.
extension CheckReport {
    mutating func addFiles(_ settings: Settings) {
        // Of the state folder, which the agent makes itself, a line of its own says how it is.
        if let capture = settings.capture, !Self.isSame(capture.directory, settings.outbox.directory) {
            add("capture", capture.directory, of: "capture.directory") { () throws(FileError) in
                try CaptureFolder(settings: capture).tryWriting()
            }
        }
        let textfile = settings.health.textfile
        if !textfile.isEmpty {
            add("textfile", textfile, of: "health.textfile") { () throws(FileError) in
                try MetricsFile(path: textfile).tryWriting()
            }
        }
    }

    private mutating func add(
        _ subject: String, _ path: String, of key: String, _ tryWriting: () throws(FileError) -> Void
    ) {
        do throws(FileError) {
            try tryWriting()
            add(subject, "\(path) can be written", remedy: "")
        } catch {
            var remedy = error.remedy.map { "\($0), or change \(key)" } ?? "change \(key)"
            if error.cause == .system(EACCES) { remedy += "; run this check as the agent's user" }
            add(subject, "\(path) can't be written: \(error.reason)", remedy: remedy)
        }
    }

    private static func isSame(_ first: String, _ second: String) -> Bool {
        func trimmed(_ path: String) -> Substring {
            var path = path[...]
            while path.count > 1, path.last == "/" { path.removeLast() }
            return path
        }
        return trimmed(first) == trimmed(second)
    }
}
