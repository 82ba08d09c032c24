import Glibc

@testable import Agent
@testable import Core

/// The van's receiver, once a second. It reports the accuracy of its fixes, and lies now and then.
struct SimulatedReceiver {
    /// The kind of a report, which the checks have to know.
    enum Kind {
        /// Right within `error_m`, whatever accuracy it reports.
        case honest
        /// Over-confident: wrong by 200 m and more, with 2 m of claimed accuracy.
        case far
        /// A time that went back, or one wild time ahead.
        case wrongTime
        /// A report that calls itself inaccurate, or is no fix.
        case unusable
        /// No fix, reported or not.
        case none
    }

    struct Report {
        var kind: Kind
        /// `nil` where it sends nothing at all.
        var news: GPSDUpdate?
        var fix: Fix?
    }

    /// The largest error of an honest fix: less than the cushion, so that no error is a crossing. Metres.
    static let error_m = 15.0
    static let device = "/dev/ttyACM0"
    /// The fixes needed since the last break or lie: a lie needs some truth around it.
    private static let leastHonest = 12

    private var chance: Chance
    private let isLiar: Bool
    private let desiredAccuracy_m: Double
    private var honestCount = 0

    init(seed: UInt64, desiredAccuracy_m: Double) {
        chance = Chance(seed: seed, stream: "receiver")
        isLiar = chance.happens(0.7)
        self.desiredAccuracy_m = desiredAccuracy_m
    }

    /// The time until its next report.
    mutating func pause() -> TimeSpan { chance.span(0.95, 1.05) }

    /// The length of gpsd's outage, if one begins now.
    mutating func outage() -> TimeSpan? { chance.happens(0.004) ? chance.spread(2, 40) : nil }

    /// Notes a break: the next report stands alone.
    mutating func breaks() { honestCount = 0 }

    /// - Parameters:
    ///   - van: the van, for its true place and reception.
    ///   - time: the true time.
    ///   - isHonest: whether nothing fails any more.
    mutating func speak(_ van: Van, at now: Instant, time: WallTime, came: Instant, isHonest: Bool) -> Report {
        if van.isInGarage(at: now), !isHonest {
            breaks()
            if chance.happens(0.5) { return Report(kind: .none) }
            return report(.none, FixReport(mode: 1, at: time, latitude: nil, longitude: nil), came)
        }
        let place = van.place(at: now)
        let (east_m, north_m) = (Self.error_m * (chance.unit() - 0.5), Self.error_m * (chance.unit() - 0.5))
        var report = FixReport(
            mode: 3, at: time, latitude: nil, longitude: nil, horizontalAccuracy_m: 4 + 24 * chance.unit(),
            altitude_m: 40, speed_m_s: van.speed_m_s(at: now), course_deg: 90)
        report.put(place.moved(east_m: east_m, north_m: north_m))
        let lies = chance.happens(0.1)
        guard isLiar, lies, !isHonest else {
            honestCount += 1
            return self.report(.honest, report, came)
        }
        return lie(report, place, came)
    }

    private mutating func lie(_ honest: FixReport, _ place: Coordinate, _ came: Instant) -> Report {
        var report = honest
        let (angle, far_m) = (2 * Double.pi * chance.unit(), 200 + 60 * chance.unit())
        let farPlace = place.moved(east_m: far_m * cos(angle), north_m: far_m * sin(angle))
        switch chance.number(0...5) {
        case 0, 1:
            guard honestCount >= Self.leastHonest else { return self.report(.honest, report, came) }
            honestCount = 0
            report.put(farPlace)
            report.horizontalAccuracy_m = 2
            return self.report(.far, report, came)
        case 2:
            report.put(farPlace)
            report.horizontalAccuracy_m = desiredAccuracy_m + 1 + 400 * chance.unit()
            return self.report(.unusable, report, came)
        case 3:
            honestCount = 0
            let step = chance.happens(0.5) ? chance.span(-3_600, -2) : chance.span(60, 315_576_000)
            report.at = honest.at.map { $0 + step }
            return self.report(.wrongTime, report, came)
        case 4:
            report.latitude = chance.happens(0.5) ? nil : 91
            return self.report(.unusable, report, came)
        default: return Report(kind: .unusable, news: .malformed)
        }
    }

    private func report(_ kind: Kind, _ report: FixReport, _ came: Instant) -> Report {
        Report(
            kind: kind, news: .report(DeviceReport(device: Self.device, report: report), at: came),
            fix: try? report.fix()
        )
    }
}

extension FixReport {
    fileprivate mutating func put(_ place: Coordinate) {
        (latitude, longitude) = (place.latitude, place.longitude)
    }
}

/// gpsd's client for one process of the agent: news that wait for the radio loop's tick. Everything happens on one
/// thread.
final class SimulatedReceivers: FixReceivers, @unchecked Sendable {
    private var news: [GPSDUpdate] = []
    private let machine: SimulatedMachine
    private(set) var isListening = false

    init(_ machine: SimulatedMachine) {
        self.machine = machine
        news = [.connected(.simulated), .devices([SimulatedReceiver.device])]
    }

    func take() -> [GPSDUpdate] {
        defer { news = [] }
        return news
    }

    func listen(_ isListening: Bool) { self.isListening = isListening }

    func add(_ news: GPSDUpdate) { self.news.append(news) }

    /// The wall clock's time at a recent instant, where it is known to be right.
    func clock(_ instant: Instant) -> WallTime? {
        machine.isSynced ? machine.wall - (machine.now - instant) : nil
    }
}

extension GPSDVersion {
    static let simulated = GPSDVersion(release: "3.22", protocolMajor: 3, protocolMinor: 14)
}
