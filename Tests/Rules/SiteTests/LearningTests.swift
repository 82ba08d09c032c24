import Testing

@testable import Core
@testable import TestAir

@Suite("A store learns the offsets of its gateways")
struct LearningTests {
    private static let room = FloorPoint(x_m: 2, y_m: 2)

    private func store(_ seed: UInt64, count: Int = 9, offsets_db: Double = 8) throws -> LearningStore {
        try LearningStore(GatewayLinks(seed: seed, count: count, offsets_db: offsets_db))
    }

    @Test("The learned offsets are those of the receivers, and as sure as they say")
    func offsets() throws {
        var (errors, within) = ([Double](), 0)
        for seed in UInt64(1)...6 {
            var store = try store(seed)
            store.pass(days: 8)
            for (error, plusMinus) in store.errors_db {
                #expect(plusMinus <= StoreLearning.sureEnough_db)
                errors.append(error.magnitude)
                if error.magnitude <= plusMinus { within += 1 }
            }
        }
        #expect(errors.count == 54)
        #expect(errors.sorted()[27] < 1.5)
        // Two of three are within; half is the least that is honest.
        #expect(within * 2 >= errors.count)
    }

    @Test("Zones with learned offsets are as right as with the true ones, within a point")
    func zones() throws {
        var (without, exact, learned) = (0.0, 0.0, 0.0)
        for seed in UInt64(1)...6 {
            var store = try store(seed)
            store.pass(days: 8)
            let gateways = store.links.gateways
            let used = store.learning?.offsets_db ?? [:]
            without += store.zones(2_000) { _ in 0 } / 6
            exact += store.zones(2_000) { -gateways[$0].receive_db } / 6
            learned += store.zones(2_000) { used[gateways[$0].id] ?? 0 } / 6
        }
        #expect(learned > exact - 0.01)
        #expect(without < exact - 0.05)
    }

    @Test("A pair differs by the middle between the beacons near one and those near the other, few or many")
    func unevenVisitors() throws {
        var table = DifferenceTable()
        for number in 0..<400 {
            // Three of four beacons are nearer to the first gateway, which hears 4 dB more than the second.
            let spread_db = Double(number / 4 % 9) - 4
            table.take((0, -60 + spread_db), (1, number % 4 == 0 ? -52.0 : -76.0))
        }
        table.endDay()
        let learned = try #require(table.all.first?.learned)
        #expect((learned.difference_db - 4).magnitude < 0.5)
    }

    @Test("Without positions, beacons that two gateways hear make the offsets sure and the zones right")
    func withoutPlan() throws {
        var store = try LearningStore(GatewayLinks(seed: 1, count: 6, offsets_db: 8), hasPlan: false)
        store.pass(days: 10)
        let (gateways, used) = (store.links.gateways, store.learning?.offsets_db ?? [:])
        #expect(used.count == 6)
        let exact = store.zones(2_000) { -gateways[$0].receive_db }
        #expect(store.zones(2_000) { used[gateways[$0].id] ?? 0 } > exact - 0.01)
    }

    @Test("An offset that the configuration names is not replaced, and the others are relative to it")
    func named() throws {
        let links = GatewayLinks(seed: 2, count: 9, offsets_db: 8)
        let named = links.gateways[4]
        var plain = try LearningStore(links)
        var store = try LearningStore(links, named_db: [named.id: 20 - named.receive_db])
        plain.pass(days: 4)
        store.pass(days: 4)
        let (without, with) = (plain.learning?.offsets_db ?? [:], store.learning?.offsets_db ?? [:])
        #expect(with[named.id] == nil)
        let shift_db = 20 - named.receive_db - (without[named.id] ?? 0)
        for (id, offset_db) in with {
            #expect((offset_db - (without[id] ?? 0) - shift_db).magnitude < 1)
        }
    }

    @Test("A restart forgets nothing, and a gateway at another place begins anew")
    func restart() throws {
        var store = try store(3)
        store.pass(days: 8)
        let before = store.learning?.offsets_db ?? [:]
        store.restart()
        let after = store.learning?.offsets_db ?? [:]
        #expect(before.count == 9 && before.keys == after.keys)
        for (id, offset_db) in before { #expect(((after[id] ?? 0) - offset_db).magnitude < 0.01) }
        store.restart { $0.x_m += 1 }
        #expect(store.learning?.offsets_db.isEmpty == true)
    }

    @Test("The usual level of a link takes 12 octets, because 64 gateways have 16,000, and its days end at 14")
    func smallLevels() {
        #expect(MemoryLayout<LinkTable.Usual?>.stride == 12)
        var usual = LinkTable.Usual(level_dbm: -70, days: 1_000)
        #expect(usual.days == 255)
        usual.learn(-70)
        #expect(usual.days == LinkTable.Usual.mostDays)
    }

    @Test("A gateway that lies changes its own offset, and little of the others'")
    func liar() throws {
        for lie_db in [-30, 30] {
            var (honest, store) = (try store(4), try store(4))
            honest.pass(days: 6)
            store.pass(days: 6) { receiver, _, level_dbm in receiver == 2 ? level_dbm + lie_db : level_dbm }
            #expect(store.report.suspects.allSatisfy { $0.id == "gateway-2" })
            let differences = zip(store.report.gateways, honest.report.gateways).filter { $0.0.id != "gateway-2" }
                .map { $0.0.rssiOffset_db - $0.1.rssiOffset_db }
            // A shift of all changes no zone.
            let mean_db = differences.reduce(0, +) / Double(differences.count)
            for difference in differences { #expect((difference - mean_db).magnitude < 2) }
        }
    }

    @Test("A gateway that says it is the beacon of another one learns nothing for itself")
    func imitation() throws {
        var store = try store(5, count: 6)
        store.imitate(1, as: 0)
        store.pass(days: 4)
        #expect(store.report.suspects.isEmpty)
        #expect(store.errors_db.allSatisfy { $0.error.magnitude < 8 })
    }
}

@Suite("A gateway that was moved or covered is named")
struct SuspectTests {
    private func named(
        _ seed: UInt64, _ event: (Int, FloorPoint, Int) -> GatewayLinks.Event
    ) throws -> (store: LearningStore, gateway: String) {
        let links = GatewayLinks(seed: seed, count: 9, offsets_db: 4)
        let gateway = Int(seed) % 9
        var store = try LearningStore(links)
        let hour = 14 * 24 + Int(seed) * 5 % 24
        store.links.keepOn(gateway, from: hour)
        store.pass(hours: hour)
        store.links.add(event(gateway, links.gateways[gateway].place, hour))
        store.pass(hours: 24)
        return (store, links.gateways[gateway].id)
    }

    @Test("A cover is named within a day, with its size", arguments: [UInt64(1), 2, 3])
    func cover(seed: UInt64) throws {
        let (store, gateway) = try named(seed) { gateway, _, hour in
            .cover(gateway: gateway, loss_db: 8, half: false, hour: hour)
        }
        let suspect = try #require(store.report.suspects.first)
        #expect(store.report.suspects.count == 1 && suspect.id == gateway)
        #expect(suspect.reason == .covered)
        #expect((-10...(-6)).contains(suspect.change_db))
        #expect(store.learning?.suspectCount == 1)
    }

    @Test("A move is named within a day", arguments: [UInt64(4), 5, 6])
    func move(seed: UInt64) throws {
        let (store, gateway) = try named(seed) { gateway, place, hour in
            .move(gateway: gateway, to: place.moved(4, towards: 1), hour: hour)
        }
        #expect(store.report.suspects.map(\.id) == [gateway])
    }

    @Test("A week later the new place is the usual one, and the offset is learned anew")
    func accepted() throws {
        var (store, gateway) = try named(1) { gateway, _, hour in
            .cover(gateway: gateway, loss_db: 8, half: false, hour: hour)
        }
        let before = try #require(store.report.gateways.first { $0.id == gateway })
        store.restart()
        #expect(store.learning?.suspectCount == 1)
        store.pass(days: 14)
        #expect(store.report.suspects.isEmpty)
        let after = try #require(store.report.gateways.first { $0.id == gateway })
        #expect(after.since > before.since)
        #expect((3...12).contains(after.rssiOffset_db - before.rssiOffset_db))
    }

    /// The verdicts on the links of gateway 0 that change by so much against usual levels with a scatter of 1 dB.
    ///
    /// - Parameter passing: the changes of passing beacons, by gateway.
    private func verdicts(_ changes_db: [Float], passing: [Int: [Float]] = [:]) -> [LinkChanges.Verdict] {
        var readings: [LinkTable.Reading] = []
        let usual = LinkTable.Usual(level_dbm: -70, scatter_db: 0.8, days: 14)
        for receiver in 0...changes_db.count {
            for sender in 0...changes_db.count where sender != receiver {
                let change_db = min(receiver, sender) == 0 ? changes_db[max(receiver, sender) - 1] : 0
                readings.append(
                    LinkTable.Reading(
                        link: LinkTable.Direction(receiver: receiver, sender: sender), level_dbm: -70 + change_db,
                        usual: usual))
            }
        }
        let passed = (0...changes_db.count).flatMap { gateway in
            (0...changes_db.count).map { near in
                let change_db = passing[gateway]?[near] ?? 0
                return LinkTable.Reading(
                    link: LinkTable.Direction(receiver: gateway, sender: near), level_dbm: -70 + change_db,
                    usual: usual)
            }
        }
        return LinkChanges(
            LinkChanges.heard(readings), passing: passing.isEmpty ? [] : LinkChanges.heard(passed)
        ).verdicts
    }

    @Test("A display that takes 3 dB of each link of a gateway is no change of the gateway; a cover of 6 dB is")
    func displayBeside() {
        #expect(verdicts([-3, -3, -3, -3, -3, -3]).isEmpty)
        #expect(verdicts([-6, -6, -6, -6, -6, -6]).map(\.reason) == [.covered])
    }

    @Test("Nearly all links weaker by a little and one by much is a change of the gateway")
    func unlikeChanges() {
        #expect(verdicts([-2.5, -2.4, -9, -2.7, 1.7, -1.2]).map(\.gateway) == [0])
    }

    @Test("Of a link that changes alone, passing beacons show the end that was moved", arguments: [0, 2])
    func oneLink(moved: Int) {
        #expect(verdicts([0.4, -9, 0.5]).isEmpty)
        let found = verdicts([0.4, -9, 0.5], passing: [moved: [2.1, -3.2, -0.5, 2.4]])
        #expect(found.map(\.gateway) == [moved] && found.first?.reason == .moved)
    }

    @Test("Beacons that are weaker than those of the days before are no change of a gateway")
    func weakerBeacons() {
        let weaker = Dictionary(uniqueKeysWithValues: (0...3).map { ($0, [Float](repeating: -5, count: 4)) })
        #expect(verdicts([0.4, -0.3, 0.5], passing: weaker).isEmpty)
    }

    @Test("A change by day counts after a night without beacons, and three quarters without a change forget it")
    func nights() {
        var suspects = SuspectList()
        let verdict = LinkChanges.Verdict(gateway: 1, score: 1.3, change_db: -4, reason: .moved)
        func pass(_ quarter: Int, _ verdicts: [LinkChanges.Verdict]) {
            let from = LearningStore.start + .seconds(Double(quarter) * 21_600)
            _ = suspects.take(verdicts, judged: [0, 1], from: from, to: from + .seconds(21_600))
        }
        pass(0, [verdict])
        for quarter in 1...4 { pass(quarter, []) }
        #expect(suspects.entries.isEmpty)
        pass(5, [verdict])
        pass(6, [])
        #expect(suspects.entries[1]?.isNamed == false)
        pass(7, [verdict])
        #expect(suspects.entries[1]?.isNamed == false)
        pass(8, [verdict])
        #expect(suspects.entries[1]?.isNamed == true)
    }

    /// The verdict on three quarters in which the links and passing beacons of gateway 0 change by so much.
    ///
    /// - Parameter others_db: the change of the links between others, by quarter.
    private func lasting(
        _ quarters_db: [[Float]], passing_db: [[Float]] = [], others_db: [Float] = [0, 0, 0]
    ) -> LinkChanges.Verdict? {
        var lasting = LastingChanges()
        func heard(_ receiver: Int, _ sender: Int, _ change_db: Float) -> LinkChanges.Heard {
            LinkChanges.Heard(
                link: LinkTable.Direction(receiver: receiver, sender: sender), change_db: change_db, deviation_db: 0.8)
        }
        for (number, changes_db) in quarters_db.enumerated() {
            let count = changes_db.count
            let own = (1...count).map { heard(0, $0, changes_db[$0 - 1]) }
            let others = (1...count).flatMap { one in
                (one + 1..<count + 1).map { heard(one, $0, others_db[number]) }
            }
            let passed = number < passing_db.count ? passing_db[number] : []
            lasting.take(own + others, passing: passed.enumerated().map { heard(0, $0.offset, $0.element) })
        }
        return lasting.verdict
    }

    @Test("A change that lasts for three quarters shows a move that one quarter does not; two quarters are too few")
    func lastingMove() {
        let change_db: [Float] = [-1.8, 0.2, 1.7]
        #expect(verdicts(change_db).isEmpty)
        #expect(lasting([change_db, change_db, change_db])?.gateway == 0)
        #expect(lasting([change_db, change_db]) == nil)
    }

    @Test("A change that is not there in one of the quarters does not last: people by day, and either sign")
    func passingChange() {
        let day_db: [Float] = [-4, 0.2, 3]
        for other_db: [Float] in [[0, 0, 0], [4, 0.2, -3]] {
            #expect(lasting([day_db, day_db, other_db]) == nil)
            #expect(lasting([other_db, day_db, day_db]) == nil)
        }
    }

    @Test("What all links share names no gateway, and a lasting change of a gateway beside it does")
    func sharedByAll() {
        let like: [Float] = [-3.4, -2.4, -4]
        #expect(lasting([like, like, like], others_db: [-3, -3, -3]) == nil)
        let passed: [Float] = [-3.5, -3.2]
        #expect(lasting([like, like, like], passing_db: [passed, passed], others_db: [-3, -3, -3]) == nil)
        let unlike: [Float] = [-7, 2, -6]
        #expect(lasting([unlike, unlike, unlike], others_db: [-1, -1, -1])?.gateway == 0)
    }

    @Test("Passing beacons count where a link has changed too, and never alone")
    func passingAlone() {
        let passed: [Float] = [-3, 2.9]
        let (none, one): ([Float], [Float]) = ([0.2, 0, 0.1], [0.2, -2, 0.1])
        #expect(lasting([none, none, none], passing_db: [passed, passed]) == nil)
        #expect(lasting([one, one, one], passing_db: [passed, passed])?.gateway == 0)
        #expect(lasting([one, one, one], passing_db: [passed]) == nil)
    }

    @Test("A lasting change names its gateway at once, unless another one is named or has changed")
    func soleChange() {
        func verdict(_ gateway: Int, _ score: Double) -> LinkChanges.Verdict {
            LinkChanges.Verdict(gateway: gateway, score: score, change_db: -4, reason: .moved)
        }
        func named(_ suspects: SuspectList) -> [Int] { suspects.entries.filter { $0.value.isNamed }.keys.sorted() }
        let (from, to) = (LearningStore.start, LearningStore.start + .seconds(21_600))
        var suspects = SuspectList()
        _ = suspects.take([verdict(2, 1)], lasting: verdict(1, 1), judged: [0, 1, 2], from: from, to: to)
        #expect(named(suspects).isEmpty)
        _ = suspects.take([verdict(1, 1)], lasting: verdict(1, 1), judged: [0, 1, 2], from: from, to: to)
        #expect(named(suspects) == [1])
        _ = suspects.take([], lasting: verdict(0, 1), judged: [0, 1, 2], from: from, to: to)
        #expect(named(suspects) == [1])
        suspects.remove(1)
        _ = suspects.take([], lasting: verdict(0, 1), judged: [1, 2], from: from, to: to)
        #expect(named(suspects).isEmpty)
        _ = suspects.take([], lasting: verdict(0, 1), judged: [0, 1, 2], from: from, to: to)
        #expect(named(suspects) == [0])
    }

    @Test("The latest quarters forget the links of a gateway that begins anew")
    func forgottenQuarters() {
        var lasting = LastingChanges()
        let links = [(0, 1, Float(-3)), (0, 2, 3), (1, 2, 0)].map { receiver, sender, change_db in
            LinkChanges.Heard(
                link: LinkTable.Direction(receiver: receiver, sender: sender), change_db: change_db, deviation_db: 0.8)
        }
        for _ in 0..<4 { lasting.take(links, passing: []) }
        #expect(lasting.verdict?.gateway == 0)
        lasting.remove(0)
        #expect(lasting.verdict == nil)
    }

    @Test("An antenna that is turned half-way round is named within a day", arguments: [UInt64(1), 2])
    func turn(seed: UInt64) throws {
        let links = GatewayLinks(seed: seed, count: 9, offsets_db: 4, antennas_db: 4..<4.1)
        var store = try LearningStore(links)
        store.links.keepOn(4, from: 14 * 24)
        store.pass(days: 14)
        store.links.add(.turn(gateway: 4, by: .pi, hour: 14 * 24))
        store.pass(hours: 24)
        #expect(store.report.suspects.map(\.id) == [links.gateways[4].id])
        #expect(store.report.suspects.map(\.reason) == [.moved])
    }

    @Test("A quiet store names none for weeks")
    func quiet() throws {
        var store = try LearningStore(GatewayLinks(seed: 7, count: 6, offsets_db: 8))
        store.pass(days: 42)
        #expect(store.reports.allSatisfy { $0.report.suspects.isEmpty })
    }
}
