import Agent
import Core

/// The place for `beacond scan --location`: gpsd's receivers by the rules of the agent, without pauses and rests.
struct ScanPlace {
    private let client: GPSDClient
    private var services: LocationServices
    private var failure: GPSDFailure?
    /// What the services tell is shown as it is, not as news.
    private var news: [LocationNews] = []

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
        services.advance(to: now, news: &news)
        news.removeAll(keepingCapacity: true)
        return ScanLocation(
            availability: services.status.availability, fix: services.last,
            age: services.last?.age(at: now) ?? .zero, counts: services.figures(at: now).fixes,
            remedy: failure.map { "\($0): \($0.remedy)" } ?? "")
    }

    func stop() { client.stop() }

    private mutating func take(_ new: GPSDNews, at now: Instant) {
        switch new {
        case .connected: failure = nil
        case .devices(let paths): services.found(devices: paths, at: now, news: &news)
        case .report(let report, let came):
            services.take(report, at: came, clock: SystemClock.syncedWall(came), news: &news)
        case .malformed: services.takeMalformed()
        case .complaint: break
        case .lost(let failure):
            self.failure = failure
            services.lostConnection(at: now, news: &news)
        }
    }
}
