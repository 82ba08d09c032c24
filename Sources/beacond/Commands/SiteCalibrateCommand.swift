import Agent
import ArgumentParser
import Core

/// `beacond site calibrate`: proposes offsets for gateways, from beacons that stand still.
struct SiteCalibrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate",
        abstract: "Propose rssi_offset_db for gateways, from beacons that stand still.",
        discussion: """
            It listens to the broker for some minutes, or reads what gateways printed (beacond site --replay FILE… calibrate), and prints lines \
            to paste. Gateways need positions in [[site.gateway]], and beacons have to stand where three of them hear: lay some on the \
            floor. Keep people away meanwhile.

            Exit status: 0 lines are printed; 65 too few beacons stood still; 66 a file can't be opened; 78 the configuration is wrong, or the \
            broker can't be reached.
            """)

    @ParentCommand var site: SiteCommand

    @Option(help: "How long to listen, seconds, 10 to 86400.")
    var seconds: Double = 120

    func validate() throws {
        guard (10...86_400).contains(seconds) else { throw ValidationError("--seconds must be from 10 to 86400.") }
    }

    func run() throws {
        let settings = try loadSettings(site.config, for: .site)
        let store = settings.site ?? settings.siteDefaults
        var fit = OffsetFit(store)
        if site.replay.isEmpty {
            try listen(&fit, store, settings)
        } else {
            try read(&fit, settings.topics(of: store))
        }
        let proposals = fit.proposals
        guard !proposals.isEmpty else {
            Output.complain(
                "\(fit.stillCount) beacons stood still where three gateways with a position heard them; \(OffsetFit.leastBeacons) at each gateway are needed"
            )
            throw ExitCode.dataError
        }
        for proposal in proposals {
            print("[[site.gateway]]\nid = \"\(proposal.gateway)\"")
            print(
                "rssi_offset_db = \(proposal.proposed_db)  # was \(proposal.configured_db); from \(proposal.beacons) beacons\n"
            )
        }
    }

    private func listen(_ fit: inout OffsetFit, _ store: SiteSettings, _ settings: Settings) throws {
        let topics = settings.topics(of: store)
        let outcome = BrokerListening.run(
            settings: settings.broker, clientID: Publisher.clientID(topics) + "-calibrate",
            filters: [topics.prefix + "/" + topics.site + "/+/region/#"],
            limits: IncomingLimits(messages: 1_000_000, payload_bytes: StoreFeed.limits.payload_bytes),
            for: .seconds(seconds))
        guard case .heard(let messages) = outcome else {
            Output.complain("the broker can't be listened to: beacond site check says why")
            throw ExitCode.configuration
        }
        for entry in messages {
            guard case .bytes(let payload) = entry.message.payload,
                let message = try? GatewayMessage(topic: entry.message.topic, payload: payload, store: topics)
            else { continue }
            fit.receive(message)
        }
    }

    private func read(_ fit: inout OffsetFit, _ topics: TopicTree) throws {
        for path in site.replay {
            do throws(FileError) {
                let log = try MessageLog(path: path)
                while try log.nextTime() != nil {
                    guard let line = try log.take() else { continue }
                    if let message = try? GatewayMessage(topic: line.topic, fields: line.payload, store: topics) {
                        fit.receive(message)
                    }
                }
            } catch {
                Output.complain("\(error)")
                throw ExitCode.noInput
            }
        }
    }
}
