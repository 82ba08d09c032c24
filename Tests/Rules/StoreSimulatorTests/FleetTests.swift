import TestAir
import Testing

@testable import Core

@Suite("A fleet's beacons die, move and tell their battery; strangers come, and one store is deaf")
struct FleetTests {
    private static let day = TimeSpan.seconds(86_400)
    private static let duration = TimeSpan.seconds(28_800)
    private let fleet = BeaconFleet(seed: 1, duration: FleetTests.duration, stores: 3)
    private let rooms = Rooms(count: 2)

    private func store(_ store: Int, listening: Int = 0) -> StoreScenario {
        .fleet(fleet, seed: 7, store: store, rooms: rooms, listening: listening)
    }

    /// The times at which each address is heard, in the order of time.
    private func heard(in store: Int) -> [DeviceAddress: [Instant]] {
        Dictionary(grouping: StoreSimulation.packets(of: self.store(store)), by: \.report.address)
            .mapValues { $0.map(\.at) }
    }

    @Test("One seed gives one fleet, and one store of it for each listening gateway")
    func sameWorld() {
        #expect(BeaconFleet(seed: 1, duration: Self.duration, stores: 3) == fleet)
        #expect(BeaconFleet(seed: 2, duration: Self.duration, stores: 3) != fleet)
        #expect(store(0).actors == store(0, listening: 1).actors)
        #expect(store(0).gateway != store(0, listening: 1).gateway)
    }

    @Test("Of 20 registered beacons of a store two die and one moves; two more are strangers", arguments: 0..<3)
    func fates(store: Int) {
        let registered = fleet.beacons.filter { $0.home == store }
        #expect(registered.count == 20)
        #expect(registered.count { $0.diedAt != nil } == 2)
        #expect(registered.count { $0.movedAt != nil && $0.diedAt == nil } == 1)
        #expect(fleet.beacons.count { $0.home == nil && $0.stays[0].store == store } == 2)
        #expect(Set(fleet.beacons.map(\.identity)).count == 66)
        #expect(Set(fleet.beacons.map(\.address)).count == 66)
        #expect(Set(registered.map(\.battery.format)) == Set(TelemetryFormat.allCases))
    }

    @Test("A dead beacon sends nothing after its death, and is heard within minutes before it", arguments: 0..<2)
    func deaths(store: Int) throws {
        let heard = heard(in: store)
        for beacon in fleet.beacons where beacon.home == store {
            guard let diedAt = beacon.diedAt else { continue }
            let last = try #require(heard[beacon.address]?.last)
            #expect(last < diedAt && diedAt - last < .seconds(600))
        }
    }

    @Test("A beacon that moves is in one store at a time, and is heard in both")
    func moves() throws {
        let stores = (0..<3).map(heard)
        for beacon in fleet.beacons {
            guard let movedAt = beacon.movedAt, let home = beacon.home, let other = beacon.movedTo else { continue }
            #expect(other != home)
            #expect(stores.count { $0[beacon.address] != nil } == 2)
            let last = try #require(stores[home][beacon.address]?.last)
            let first = try #require(stores[other][beacon.address]?.first)
            #expect(last < movedAt && movedAt < first)
        }
    }

    @Test("Strangers come later, and their store hears them")
    func strangers() throws {
        let heard = heard(in: 0)
        for stranger in fleet.beacons where stranger.home == nil && stranger.stays[0].store == 0 {
            let times = try #require(heard[stranger.address])
            let first = try #require(times.first)
            #expect(first > .origin + .seconds(2_880))
            #expect(times.count > 20)
        }
    }

    @Test("The last store is deaf for seven twelfths of the time: it hears nothing then, and the others do")
    func deafness() {
        let deaf = Instant.origin + .seconds(7_200)..<Instant.origin + .seconds(24_000)
        for store in 0..<3 {
            let packets = StoreSimulation.packets(of: self.store(store))
            let inside = packets.filter { deaf.contains($0.at) }
            #expect(inside.isEmpty == (store == 2))
            #expect(packets.contains { $0.at >= deaf.upperBound })
        }
        #expect(fleet.deaf == deaf)
    }

    @Test("Where days are long, a store is deaf for a week at most")
    func deafWeek() {
        let month = BeaconFleet(seed: 1, duration: Self.day * 30, stores: 1)
        #expect(month.deaf.upperBound - month.deaf.lowerBound == Self.day * 7)
        #expect(month.beacons.holdForAll { $0.movedAt == nil })
    }

    @Test("A day of a store is at most 45,000 packets, and its air is never silent for a minute")
    func cost() {
        let fleet = BeaconFleet(seed: 1, duration: Self.day, stores: 2)
        let packets = StoreSimulation.packets(of: .fleet(fleet, seed: 7, store: 0, rooms: rooms, listening: 0))
        #expect((25_000...45_000).contains(packets.count))
        #expect(zip(packets, packets.dropFirst()).holdForAll { $1.at - $0.at < .seconds(60) })
    }

    @Test("The truth has each beacon with its register line, its fate, and its battery in each hour")
    func json() {
        var text = ""
        FleetTruth(fleet, store: 2, begin: WallTime(microseconds: 1_767_225_600_000_000)).writeJSON { text += $0 }
        let begin = """
            {"scenario": "fleet", "site": "store-3", "duration_s": 28800.0, "deaf": [{"from_s": 7200.0, "until_s": 24000.0}], \
            "beacons": [
            """
        #expect(text.hasPrefix(begin))
        func count(_ words: String) -> Int { text.split(separator: "\n").count { $0.contains(words) } }
        let moved = fleet.beacons.count { $0.movedTo == 2 }
        #expect(count("\"uuid\": ") == 22 + moved)
        #expect(count("\"since\": \"2026-01-01\"}") == 20 + moved)
        #expect(count("\"register\": null") == 2)
        #expect(count("\"died_at_s\": null") == 20 + moved)
        #expect(count("\"moved_to\": \"store-3\"") == moved)
        let hours = text.split(separator: "\n").filter { $0.contains("\"battery_mv\": [") }
        #expect(hours.holdForAll { $0.split(separator: ",").count { $0.contains(where: \.isNumber) } == 9 })
    }
}

@Suite("A simulated beacon tells the true state of its coin cell")
struct BeaconBatteryTests {
    private func at(day: Double) -> Instant { .origin + .seconds(day * 86_400) }

    @Test("The voltage follows the published curve of a CR2032, and both figures only fall")
    func curve() {
        let battery = BeaconBattery(format: .bthome, used_percent: 0, dailyUse_percent: 1)
        let values = (0...120).map { battery.values(at: at(day: Double($0))) }
        #expect([0, 58, 82, 94, 100, 120].map { values[$0].battery_mV } == [3_000, 2_900, 2_740, 2_440, 2_100, 2_100])
        #expect([0, 29, 100, 120].map { values[$0].battery_percent } == [100, 71, 0, 0])
        #expect(values[29].battery_mV == 2_950)
        for (one, next) in zip(values, values.dropFirst()) {
            #expect((next.battery_mV ?? 0) <= (one.battery_mV ?? 0))
            #expect((next.battery_percent ?? 0) <= (one.battery_percent ?? 0))
        }
    }

    @Test("A battery that ends a life is empty at its death, and no other is", arguments: 1...5 as ClosedRange<UInt64>)
    func death(seed: UInt64) {
        let fleet = BeaconFleet(seed: seed, duration: .seconds(12 * 86_400), stores: 2)
        let empty = fleet.beacons.filter { beacon in
            beacon.battery.used_percent(at: beacon.diedAt ?? .origin + fleet.duration) > 99.9
        }
        #expect(empty.count == 2)
        #expect(empty.holdForAll { $0.diedAt != nil })
    }

    @Test("Each format's frames decode to the truth as far as they carry it", arguments: TelemetryFormat.allCases)
    func frames(format: TelemetryFormat) {
        let battery = BeaconBattery(format: format, used_percent: 10, dailyUse_percent: 3)
        for hour in 0..<(28 * 24) {
            let values = battery.values(at: at(day: Double(hour) / 24))
            var carried = values
            if format == .eddystoneTLM { carried.battery_percent = nil }
            if [.batteryService, .minew, .kontakt].contains(format) { carried.battery_mV = nil }
            if format == .batteryService { carried.temperature_cC = nil }
            var frames: [TelemetryFrame] = []
            let data = AdvertisingPayload.telemetry(values, uptime: .seconds(3_600 * hour))
            TelemetryFrames.forEach(in: data.span) { frames.append($0) }
            #expect(frames == [.values(carried, isContradictory: false)])
        }
    }

    @Test("A charge of 87 %, 2,950 mV and 21.5 °C are the octets that the vectors of telemetry read")
    func octets() {
        func text(_ format: TelemetryFormat) -> String {
            let values = Telemetry(format: format, battery_percent: 87, battery_mV: 2_950, temperature_cC: 2_150)
            return AdvertisingPayload.telemetry(values, uptime: .seconds(60)).map { octet in
                (octet < 16 ? "0" : "") + String(octet, radix: 16, uppercase: true)
            }.joined()
        }
        #expect(text(.eddystoneTLM) == "1116AAFE20000B8615800000000600000258")
        #expect(text(.bthome) == "0C16D2FC4001570266080C860B")
        #expect(text(.batteryService) == "04160F1857")
        #expect(text(.minew) == "1016E1FFA1015715803200AABBCCDDEEFF")
        #expect(text(.kontakt) == "0B166AFE03020C5703138015")
    }
}
