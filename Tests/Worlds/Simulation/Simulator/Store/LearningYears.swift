@testable import Core
@testable import TestAir

/// A year of one store that learns, in hours: once without any change of a gateway, and then some days with one each. A
/// shorter time shows the same with fewer chances of a false alarm.
struct LearningYears {
    private static let events = 6, turns = 2

    /// The days after which the gateways change.
    private static let learningDays = 21

    private let seed: UInt64
    private let days: Int
    private let links: GatewayLinks

    /// The numbers of gateways in stores.
    static let gateways = [4, 6, 9, 12]

    init(seed: UInt64, days: Int) {
        (self.seed, self.days) = (seed, max(days, Self.learningDays))
        links = GatewayLinks(seed: seed, count: Self.gateways[Int(seed % 4)], offsets_db: 8, antennas_db: 1..<4)
    }

    func play(into figures: inout LearningFigures) {
        guard var store = try? LearningStore(links) else { return }
        store.pass(days: Self.learningDays)
        figures.add(offsets: store, beacons: 2_000)
        for number in 1...Self.events + Self.turns {
            figures.add(event: event(number, in: store), of: links, after: store)
        }
        store.pass(days: days - Self.learningDays)
        figures.add(alarms: store)
    }

    /// Returns a move, a cover or a turn of a gateway at some hour of the next day.
    private func event(_ number: Int, in store: LearningStore) -> GatewayLinks.Event {
        var random = RandomStream(seed: seed, index: number)
        let gateway = random.below(links.gateways.count)
        let hour = store.hour + 1 + random.below(24)
        if number > Self.events {
            return .turn(gateway: gateway, by: random.uniform(0.5 * .pi..<1.5 * .pi), hour: hour)
        }
        if random.chance(0.5) { return .cover(gateway: gateway, loss_db: 6, half: false, hour: hour) }
        let place = links.gateways[gateway].place
        let angle = random.uniform(0..<2 * .pi)
        return .move(gateway: gateway, to: place.moved(3, towards: angle), hour: hour)
    }
}

/// The figures of many store-years.
struct LearningFigures {
    private var years = 0
    private var alarms = 0
    private var moves = 0, covers = 0, turns = 0
    private var namedMoves = 0, namedCovers = 0, namedTurns = 0
    /// Those of stores with the fewest gateways, which have few links.
    private var small = (named: 0, events: 0)
    private var othersNamed = 0
    private var errors_db: [Double] = []
    private var within = 0
    private var isWide = 0
    /// The shares of right zones: without offsets, with the true ones and with the learned ones.
    private var without: [Double] = []
    private var exact: [Double] = []
    private var learned: [Double] = []

    /// Takes the learned offsets, compared with the true ones.
    mutating func add(offsets store: LearningStore, beacons: Int) {
        for (error, plusMinus) in store.errors_db {
            if plusMinus > StoreLearning.sureEnough_db {
                isWide += 1
                continue
            }
            errors_db.append(error.magnitude)
            if error.magnitude <= plusMinus { within += 1 }
        }
        let gateways = store.links.gateways
        let used = store.learning?.offsets_db ?? [:]
        without.append(store.zones(beacons) { _ in 0 })
        exact.append(store.zones(beacons) { -gateways[$0].receive_db })
        learned.append(store.zones(beacons) { used[gateways[$0].id] ?? 0 })
    }

    /// Plays an event in a copy of a store, and takes whether the gateway is named within 24 h.
    mutating func add(event: GatewayLinks.Event, of links: GatewayLinks, after store: LearningStore) {
        var store = store
        let gateway = event.gateway
        store.links.keepOn(gateway, from: event.hour)
        store.pass(hours: event.hour - store.hour)
        store.links.add(event)
        let before = store.reports.count
        store.pass(hours: 24)
        let named = Set(store.reports.dropFirst(before).flatMap { $0.report.suspects.map(\.id) })
        let isNamed = named.contains(links.gateways[gateway].id)
        othersNamed += named.count - (isNamed ? 1 : 0)
        if !isNamed { print("missed: \(links.gateways.count) gateways, \(event)") }
        if case .turn = event {
            turns += 1
            namedTurns += isNamed ? 1 : 0
            return
        }
        if links.gateways.count == LearningYears.gateways[0] {
            small.events += 1
            small.named += isNamed ? 1 : 0
        }
        if case .move = event {
            moves += 1
            namedMoves += isNamed ? 1 : 0
        } else {
            covers += 1
            namedCovers += isNamed ? 1 : 0
        }
    }

    /// Takes the false alarms of a year.
    mutating func add(alarms store: LearningStore) {
        years += 1
        var named: Set<String> = []
        for (hour, report) in store.reports {
            for suspect in report.suspects where named.insert("\(suspect.id) \(suspect.since)").inserted {
                print("alarm on day \(hour / 24): \(suspect.id) \(suspect.reason.rawValue) \(suspect.change_db)")
                alarms += 1
            }
        }
    }

    var description: String {
        let sorted = errors_db.sorted()
        let count = max(1, sorted.count)
        func share(_ values: [Double]) -> Double { percent(values.reduce(0, +), Double(max(1, values.count))) }
        return
            "years=\(years) alarms=\(alarms) moves=\(namedMoves)/\(moves) covers=\(namedCovers)/\(covers) turns=\(namedTurns)/\(turns) "
            + "of_four_gateways=\(small.named)/\(small.events) others=\(othersNamed) "
            + "offset_error_p50_db=\(tenths(sorted.isEmpty ? 0 : sorted[count / 2])) "
            + "p95_db=\(tenths(sorted.isEmpty ? 0 : sorted[count * 95 / 100])) within=\(percent(Double(within), Double(count))) "
            + "unsure=\(isWide) zones_without=\(share(without)) zones_exact=\(share(exact)) zones_learned=\(share(learned))"
    }

    /// The promises that do not hold.
    var failures: [String] {
        var failures: [String] = []
        // Few years have more by chance.
        if Double(alarms) > 0.75 * Double(years) + 2.5 {
            failures.append("\(alarms) false alarms in \(years) store-years")
        }
        let (named, events) = (namedMoves + namedCovers, moves + covers)
        if named * 100 < events * 95 - 300 {
            failures.append("\(named) of \(events) moves and covers were named within 24 h")
        }
        if learnedLoss > 0.01 + 0.03 / Double(max(1, years)) {
            failures.append("zones are \(tenths(learnedLoss * 100)) points worse than with true offsets")
        }
        return failures
    }

    private var learnedLoss: Double {
        (exact.reduce(0, +) - learned.reduce(0, +)) / Double(max(1, exact.count))
    }

    private func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
    private func percent(_ part: Double, _ whole: Double) -> Double { tenths(part / whole * 100) }
}
