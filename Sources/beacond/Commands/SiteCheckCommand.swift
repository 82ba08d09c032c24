import Agent
import ArgumentParser
import Core

/// `beacond site check`: lists the gateways that a store hears, and the faults of the others.
struct SiteCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Say which gateways the store hears, which are silent or not listed, and whose clock is off.",
        discussion: """
            It listens to the broker for some seconds and publishes nothing.

            Exit status: 0 everything is in order; 78 something is not, or the configuration is wrong.
            """)

    /// The parent command holds the option that names the configuration.
    @ParentCommand var site: SiteCommand

    @Option(help: "How long to listen, seconds, 1 to 3600.")
    var seconds: Double = 5

    func validate() throws {
        guard (1...3600).contains(seconds) else { throw ValidationError("--seconds must be from 1 to 3600.") }
    }

    func run() throws {
        let settings = try loadSettings(site.config, for: .site)
        let site = settings.site ?? settings.siteDefaults
        let feed = StoreFeed(site, settings, at: SystemClock.now)
        let outcome = BrokerListening.run(
            settings: settings.broker, clientID: Publisher.clientID(settings.topics(of: site)) + "-check",
            filters: feed.filters, limits: StoreFeed.limits, for: .seconds(seconds))
        switch outcome {
        case .failed(let failure):
            try Self.end("\(failure)", failure.remedy)
        case .refused(let filter, let reason):
            try Self.end(
                "broker: it does not let this store read \(filter): \(reason)",
                "allow it in the broker's access list; deploy/broker/store/acl shows how")
        case .heard(let messages):
            for entry in messages { feed.receive([entry.message], at: SystemClock.now, SystemClock.timebase) }
            let figures = feed.storeFigures(at: SystemClock.now)
            var isInOrder = true
            for gateway in figures.gateways {
                let finding = SiteFinding(gateway, site)
                print(finding.line)
                isInOrder = isInOrder && finding.remedy == nil
            }
            if figures.gateways.isEmpty {
                try Self.end(
                    "nothing was heard of store \(site.id)", "check [site] id, mqtt.prefix and the access list")
            }
            if !isInOrder { throw ExitCode.configuration }
        }
    }

    private static func end(_ line: String, _ remedy: String?) throws {
        print(remedy.map { "\(line): \($0)" } ?? line)
        throw ExitCode.configuration
    }
}

/// The finding about one gateway.
struct SiteFinding {
    /// More than clocks differ that NTP sets, plus the broker's delay.
    static let tolerance_s = 5.0

    let line: String
    /// `nil` where all is well.
    let remedy: String?

    init(_ gateway: StoreFigures.Gateway, _ site: SiteSettings) {
        let listed = site.gateways.contains { $0.id == gateway.id }
        var remedies: [String] = []
        switch gateway.hearing {
        case .hears: break
        case .blind: remedies.append("its radio does not scan: see its own status")
        case .offline: remedies.append("start it, or check its network")
        case .silent: remedies.append("nothing came from it: check its id, its broker and its access list")
        }
        if !listed, !site.gateways.isEmpty {
            remedies.append("not listed: add [[site.gateway]] id = \"\(gateway.id)\"")
        }
        if let ahead_s = gateway.clockAhead_s, ahead_s.magnitude > Self.tolerance_s {
            let way = ahead_s > 0 ? "ahead" : "behind"
            remedies.append("its clock is \(Int(ahead_s.magnitude.rounded())) s \(way): set it by NTP")
        }
        remedy = remedies.isEmpty ? nil : remedies.joined(separator: "; ")
        let name = gateway.id.padded(to: 24) + " " + gateway.hearing.rawValue.padded(to: 8)
        line = remedy.map { name + " " + $0 } ?? name + " ok"
    }
}
