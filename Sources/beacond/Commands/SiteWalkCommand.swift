import Agent
import ArgumentParser
import Core
import Glibc

/// `beacond site walk`: teaches a store its zones by one walk with a beacon.
struct SiteWalkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "walk",
        abstract: "Teach the store its zones: carry one beacon through each.",
        discussion: """
            It lists the zones. Enter the number or name of the one that you are in, and walk through it for 20 s or more, also to its \
            corners. Return ends the zone, and done ends the walk: it prints how surely each zone is told from the others, and \
            publishes the zone map, which beacond site uses at once. A zone that is walked again replaces the former one; the others stay.

            The gateways need a [[region]] with the beacon's UUID, and have to publish ranging.

            Exit status: 0 the map is published, or the walk was dropped; 65 no zone was walked for 10 s, or several beacons answer; 75 the \
            connection was lost; 78 the configuration is wrong, or the broker does not allow it.
            """)

    @ParentCommand var site: SiteCommand

    @Option(help: ArgumentHelp("The beacon's proximity UUID.", valueName: "uuid"))
    var uuid: ProximityUUID?

    @Option(help: ArgumentHelp("Its major, if several beacons of the UUID are near.", valueName: "n"))
    var major: UInt16?

    @Option(help: ArgumentHelp("Its minor, if several beacons of the UUID are near.", valueName: "n"))
    var minor: UInt16?

    @Flag(help: "Forget the zone map: zones are those of their gateways again.")
    var forget = false

    func validate() throws {
        guard forget != (uuid != nil) else { throw ValidationError("name the beacon with --uuid, or say --forget") }
    }

    func run() throws {
        try StartReserve.orExit()
        let settings = try loadSettings(site.config, for: .site)
        let store = settings.site ?? settings.siteDefaults
        let topics = settings.topics(of: store)
        let feed = StoreFeed(store, settings, at: SystemClock.now)
        let connection = WalkConnection(
            settings: settings.broker, clientID: Publisher.clientID(topics) + "-walk",
            filters: forget ? [] : feed.filters, limits: StoreFeed.limits)
        do {
            let first = try connection.open()
            if forget {
                try connection.publish(
                    ZonesPayload(ZoneMap(), at: SystemClock.now, SystemClock.timebase).message(on: topics))
                print("store \(store.id) has no zone map any more")
            } else {
                try walk(WalkSession(connection, topics, feed, target(), zones: store.zones), first, connection, topics)
            }
            connection.close()
        } catch let problem as WalkConnection.Problem {
            Output.complain(problem.line)
            throw problem.status
        } catch let error as CalibrationError {
            Output.complain("\(error)")
            throw ExitCode.dataError
        }
    }

    private func target() throws -> BeaconIdentityConstraint {
        guard let uuid else { throw ExitCode.validationFailure }
        return BeaconIdentityConstraint(uuid: uuid, major: major, minor: minor)
    }

    private func walk(
        _ session: WalkSession, _ first: [IncomingMessage], _ connection: WalkConnection, _ topics: TopicTree
    ) throws {
        var session = session
        let walked = try session.run(first)
        guard let walked else { return Output.complain("the walk is dropped, and nothing was published") }
        let picture = walked.picture
        guard walked.hasZones else {
            Output.complain(
                "nothing was published: walk at least one zone for \(ZoneWalk.leastSeconds) s in which a gateway lists the beacon"
            )
            throw ExitCode.dataError
        }
        print(WalkedZone.lines(picture).joined(separator: "\n"))
        let payload = ZonesPayload(walked.map, at: SystemClock.now, SystemClock.timebase)
        try connection.publish(payload.message(on: topics))
        print("published: \(payload.map.zones.count) zones. To undo it: beacond site walk --forget")
    }
}

extension WalkConnection.Problem {
    fileprivate var line: String {
        switch self {
        case .notConnected(let failure): "\(failure): \(failure.remedy)"
        case .subscriptionRefused(let filter, let reason):
            "broker: it does not let this client read \(filter): \(reason): deploy/broker/store/acl shows what to allow"
        case .publishRefused(let reason):
            "broker: it does not take the zone map: \(reason): deploy/broker/store/acl shows what to allow"
        case .unacknowledged:
            "the zone map was not published, because the broker did not answer for a minute: walk again"
        }
    }

    fileprivate var status: ExitCode {
        switch self {
        case .unacknowledged: .temporaryFailure
        case .notConnected, .subscriptionRefused, .publishRefused: .configuration
        }
    }
}
