import PayloadReaders
import TestAir
import Testing

@testable import Core

@Suite("The heat map adds up seconds by cell and UTC hour, and tells no cell that few beacons were in")
struct HeatMapTests {
    /// 18:00:00 UTC, the beginning of an hour.
    static let start = WallTime(microseconds: 1_795_024_800_000_000)

    /// A clock that is away from that time at the origin.
    static func clock(away_us: Int64 = 0) -> Timebase {
        Timebase(wallAtOrigin: start + TimeSpan(microseconds: away_us), isSynced: true)
    }

    /// A map that is given lists as the store's engine tells them, at whole seconds.
    struct Map {
        var map: HeatMap
        private(set) var sheets: [HeatSheet] = []

        init(
            _ keys: String = "heat_cell_m = 2", from t_s: Double = 0, _ clock: Timebase = HeatMapTests.clock()
        ) throws {
            let site = try #require(try Settings.parse("[site]\n" + keys).site)
            map = try #require(HeatMap(site, at: .origin + .seconds(t_s), clock))
        }

        /// - Parameter beacons: the place of each beacon, by minor.
        mutating func list(
            _ beacons: [Int: (x_m: Double, y_m: Double)], unplaced: ClosedRange<Int>? = nil, floor: Int = 0,
            region: String = "carts", at t_s: Double
        ) {
            var places = beacons.mapValues { place -> BeaconPlace? in
                BeaconPlace(
                    zone: "shop", confidence: 0.9,
                    position: .init(x_m: place.x_m, y_m: place.y_m, floor: floor, error_m: 1))
            }
            for minor in unplaced.map(Array.init) ?? [] { places[minor] = .some(nil) }
            let listed = places.sorted { $0.key < $1.key }.map { minor, place in
                ListedBeacon(
                    track: UInt64(minor), identity: HeatMapTests.identity(minor),
                    observation: .undetermined(rssi_dbm: -60), measuredPower_dbm: -59, age_ms: 0, place: place)
            }
            let list = ListedBeacons(
                instance: RegionInstanceID(region: region, .whole), count: listed.count, beacons: listed)
            follow([.message(list, at: .origin + .seconds(t_s))], at: t_s)
        }

        mutating func follow(_ outputs: [GatewayOutput] = [], at t_s: Double, isLast: Bool = false) {
            var outputs = outputs
            let count = outputs.count
            map.follow(&outputs, at: .origin + .seconds(t_s), isLast: isLast)
            for output in outputs.dropFirst(count) {
                if let sheet = output.content(HeatSheet.self) { sheets.append(sheet) }
            }
        }

        /// Cells as `floor x y seconds beacons`.
        var cells: [String] {
            sheets.flatMap(\.cells).map { "\($0.floor) \($0.x_m) \($0.y_m) \($0.seconds) \($0.beacons)" }
        }

        /// Each sheet's time in seconds from the start.
        var times: [String] {
            sheets.map { "\(($0.from - HeatMapTests.start).seconds)–\(($0.to - HeatMapTests.start).seconds)" }
        }
    }

    private static func identity(_ minor: Int) -> BeaconIdentity {
        BeaconIdentity(
            uuid: ProximityUUID(high: 1, low: UInt64(minor >> 16)), major: 1, minor: UInt16(truncatingIfNeeded: minor))
    }

    /// Beacons that stand at one place.
    private static func beacons(
        _ minors: ClosedRange<Int>, at x_m: Double, _ y_m: Double
    ) -> [Int: (x_m: Double, y_m: Double)] {
        Dictionary(uniqueKeysWithValues: minors.map { ($0, (x_m, y_m)) })
    }

    @Test("No cell without a heat map: heat_cell_m is 0 where it is not set")
    func off() throws {
        let settings = try Settings.parse("[site]")
        let site = try #require(settings.site)
        #expect(HeatMap(site, at: .origin, Self.clock()) == nil)
        #expect(site.heatMinimum == 5)
    }

    @Test("heat_cell_m is 0, or from 0.5 to 100", arguments: [-1, 0.1, 0.4999, 100.001])
    func range(value: Double) throws {
        #expect(throws: (any Error).self) { try Settings.parse("[site]\nheat_cell_m = \(value)") }
        for allowed in ["0", "0.0", "0.5", "100"] { _ = try Settings.parse("[site]\nheat_cell_m = \(allowed)") }
    }

    @Test("Five beacons of a cell are published with their seconds, four are not, nor are their seconds")
    func minimum() throws {
        var map = try Map()
        for second in 1...10 {
            map.list(
                Self.beacons(1...5, at: 1, 1).merging(Self.beacons(11...14, at: 5, 1)) { one, _ in one },
                at: Double(second))
        }
        map.follow(at: 3_600)
        #expect(map.cells == ["0 1.0 1.0 50 5"])
        #expect(map.sheets.map(\.omittedCells) == [1] && map.sheets.map(\.omitted_s) == [nil])
    }

    @Test("The seconds left out are published where as many beacons were in those cells together, each counted once")
    func together() throws {
        var map = try Map()
        for second in 1...10 {
            let places = Self.beacons(11...14, at: 5, 1).merging([1: (9, 1)]) { one, _ in one }
            map.list(second > 5 ? places : Self.beacons(11...14, at: 5, 1), at: Double(second))
        }
        map.follow(at: 3_600)
        for second in 3_601...3_610 { map.list([11: (Double(second), 1), 12: (3, 1)], at: Double(second)) }
        map.follow(at: 7_200)
        #expect(map.cells == [] && map.sheets.map(\.omittedCells) == [2, 7])
        #expect(map.sheets.map(\.omitted_s) == [45, nil])
    }

    @Test("Seconds of beacons without a position are published by themselves, from five beacons on")
    func unplaced() throws {
        var map = try Map()
        for second in 1...10 {
            map.list(Self.beacons(1...5, at: 1, 1), unplaced: 6...(9 + second / 10), at: Double(second))
        }
        map.follow(at: 3_600)
        map.list([:], unplaced: 1...4, at: 3_601)
        map.list([:], unplaced: 1...4, region: "baskets", at: 3_601)
        map.follow(at: 7_200)
        map.follow(at: 10_800)
        #expect(map.sheets.map(\.unplaced_s) == [41, nil, 0] && map.sheets.map(\.omitted_s) == [0, 0, 0])
    }

    @Test("A beacon that comes back, or that several regions list, is one beacon of a cell and one second")
    func different() throws {
        var map = try Map("heat_cell_m = 2\nheat_minimum = 2")
        for second in [1, 2, 900] {
            map.list([1: (1, 1), 2: (1.5, 0.5)], at: Double(second))
            map.list([1: (1, 1), 2: (1.5, 0.5)], region: "baskets", at: Double(second))
        }
        for second in 3...9 { map.list([1: (9, 9)], at: Double(second)) }
        map.follow(at: 3_600)
        #expect(map.cells == ["0 1.0 1.0 6 2"])
        #expect(map.sheets.map(\.omittedCells) == [1])
    }

    @Test("Cells are published with their middle, also below zero, and by floor")
    func middles() throws {
        var map = try Map("heat_cell_m = 2.5\nheat_minimum = 1")
        map.list([1: (-0.1, -2.6)], floor: -1, at: 1)
        map.list([1: (2.5, 7.4)], at: 2)
        map.list([1: (2.4, 7.6)], at: 3)
        map.follow(at: 3_600)
        #expect(map.cells == ["-1 -1.25 -3.75 1 1", "0 3.75 6.25 1 1", "0 1.25 8.75 1 1"])
    }

    @Test("Each UTC hour has its own sheet, also without beacons, and a second at the full hour is of the next")
    func hours() throws {
        var map = try Map("heat_cell_m = 2\nheat_minimum = 1", from: 60)
        map.list([1: (1, 1)], at: 3_599)
        map.list([1: (1, 1)], at: 3_600)
        map.follow(at: 7_205)
        map.follow(at: 10_790)
        map.follow(at: 10_800)
        #expect(map.times == ["60.0–3600.0", "3600.0–7200.0", "7200.0–10800.0"])
        #expect(map.sheets.map { $0.cells.map(\.seconds) } == [[1], [1], []])
    }

    @Test("The end of the process tells the hour so far, and the rest of the hour needs its own beacons")
    func stop() throws {
        var first = try Map()
        first.list(Self.beacons(1...5, at: 1, 1), at: 10)
        first.follow(at: 1_000, isLast: true)
        first.follow(at: 1_000, isLast: true)
        #expect(first.times == ["0.0–1000.0"] && first.cells == ["0 1.0 1.0 5 5"])
        var second = try Map(from: 1_010)
        second.list(Self.beacons(6...9, at: 1, 1), at: 1_020)
        second.follow(at: 3_600)
        #expect(second.times == ["1010.0–3600.0"] && second.cells == [])
        #expect(second.sheets.map(\.omittedCells) == [1])
    }

    @Test("Of hours in which the process slept, none is published")
    func asleep() throws {
        var map = try Map()
        map.follow(at: 100)
        map.follow(at: 40 * 3_600 + 7)
        map.follow(at: 41 * 3_600)
        #expect(map.times == ["0.0–3600.0", "144000.0–147600.0"])
    }

    @Test("More cells than a sheet may have are published in several, each cell once and what was omitted once")
    func pages() throws {
        var map = try Map("heat_cell_m = 1\nheat_minimum = 1")
        for cell in 0..<1_201 {
            map.list([1: (Double(cell % 40) + 0.5, Double(cell / 40) + 0.5)], at: Double(cell + 1))
        }
        map.list([1: (2e6, 0)], at: 2_000)
        map.follow(at: 3_600)
        #expect(map.sheets.map(\.cells.count) == [500, 500, 201])
        #expect(map.sheets.map(\.page) == [0, 1, 2] && map.sheets.holdForAll { $0.pages == 3 })
        #expect(Set(map.cells).count == 1_201 && map.sheets.map(\.omitted_s) == [1, 0, 0])
    }

    @Test("Beyond a limit of cells or beacons, seconds are left out and counted, and the cells published stay right")
    func limits() throws {
        var map = try Map("heat_cell_m = 1\nheat_minimum = 1")
        for row in 0..<129 {
            let places = (0..<128).map { ($0, (Double($0) + 0.5, Double(row) + 0.5)) }
            map.list(Dictionary(uniqueKeysWithValues: places), at: Double(row + 1))
        }
        map.follow(at: 3_600)
        #expect(map.sheets.flatMap(\.cells).count == HeatMap.maxCells && map.sheets.first?.omitted_s == 128)

        var crowd = try Map("heat_cell_m = 1\nheat_minimum = 1")
        crowd.list(Self.beacons(1...HeatMap.maxBeacons + 3, at: 0.5, 0.5), at: 1)
        crowd.follow(at: 3_600)
        #expect(crowd.cells == ["0 0.5 0.5 65536 65536"] && crowd.sheets.first?.omitted_s == 3)
    }

    @Test("Beyond the limit of pairs, a beacon in a cell that is new to it is left out, and known pairs go on")
    func pairs() throws {
        var map = try Map("heat_cell_m = 1\nheat_minimum = 1")
        let (everyone, cells) = (1...32_768, HeatMap.maxPairs / 32_768)
        for cell in 0..<cells { map.list(Self.beacons(everyone, at: Double(cell) + 0.5, 0.5), at: Double(cell + 1)) }
        map.list(Self.beacons(1...7, at: 900.5, 0.5), at: 100)
        map.list(Self.beacons(1...7, at: 0.5, 0.5), at: 101)
        map.follow(at: 3_600)
        #expect(map.sheets.flatMap(\.cells).map(\.beacons) == Array(repeating: 32_768, count: cells))
        #expect(map.sheets.first?.cells.first?.seconds == 32_775 && map.sheets.first?.omitted_s == 7)
    }

    @Test("A sheet has no identity, and its payload reads back")
    func payload() throws {
        var map = try Map("heat_cell_m = 1.5\nheat_minimum = 1")
        map.list([1: (-7.3, 4), 2: (8, 4)], at: 5)
        map.follow(at: 3_600)
        let sheet = try #require(map.sheets.first)
        let payload = HeatPayload(
            head: PayloadHead(at: sheet.to, isClockSynced: true), origin: PayloadOrigin(site: "s", gateway: "site"),
            number: MessageNumber(epoch: "01KDVDNA0T0000000000000000", series: .sheets, seq: 3), content: sheet)
        #expect(try HeatPayload(decoding: payload.encoded) == payload)
        let text = String(decoding: payload.encoded, as: UTF8.self)
        #expect(
            text.hasSuffix(
                #""sheet":3,"from_at":"2026-11-18T18:00:00.000Z","to_at":"2026-11-18T19:00:00.000Z","page":0,"pages":1,"#
                    + #""cell_m":1.5,"cells":[{"floor":0,"x_m":-6.75,"y_m":3.75,"seconds":1,"beacons":1},"#
                    + #"{"floor":0,"x_m":8.25,"y_m":3.75,"seconds":1,"beacons":1}],"#
                    + #""omitted_cells":0,"omitted_s":0,"unplaced_s":0}"#))
        #expect(throws: PayloadError.self) {
            try HeatPayload(decoding: [UInt8](text.replacing("18:00:00.000Z", with: "17:59:59.999Z").utf8))
        }
        #expect(throws: PayloadError.self) {
            try HeatPayload(decoding: [UInt8](text.replacing(#""beacons":1}"#, with: #""beacons":65537}"#).utf8))
        }
    }

    @Test("No sheet is published before its end, though the message reads the clock once more")
    func published() throws {
        var map = try Map()
        map.follow(at: 3_600)
        var composer = MessageComposer.of("site")
        for (away_us, at) in [(-1_500, "19:00:00.000Z"), (1_500, "19:00:00.001Z")] as [(Int64, String)] {
            let sheet = try #require(map.sheets.first)
            let context = PublicationContext(
                at: .origin + .seconds(3_600), Self.clock(away_us: away_us),
                number: { MessageNumber(epoch: "01KDVDNA0T0000000000000000", series: $0, seq: 1) }, eventSeq: { _ in 0 }
            )
            let publication = sheet.publication(by: &composer, context)
            guard case .numbered(let message)? = publication.items.first else {
                Issue.record("no sheet")
                continue
            }
            #expect(String(decoding: message.payload, as: UTF8.self).contains(#""at":"2026-11-18T\#(at)""#))
        }
    }

    @Test("The largest sheet has at most 48 KiB")
    func octets() {
        let cell = HeatSheet.Cell(
            floor: -100, x_m: -99_999.123, y_m: -99_999.123, seconds: 3_600 * 65_536, beacons: 65_536)
        let sheet = HeatSheet(
            from: Self.start, to: Self.start, page: 31, pages: 32, cell_m: 99.999,
            cells: Array(repeating: cell, count: HeatSheet.maxCells), omittedCells: 16_384, omitted_s: .max,
            unplaced_s: .max)
        let payload = HeatPayload(
            head: PayloadHead(at: Self.start, isClockSynced: false),
            origin: PayloadOrigin(site: String(repeating: "s", count: 64), gateway: "site"),
            number: MessageNumber(epoch: "01KDVDNA0T0000000000000000", series: .sheets, seq: .max), content: sheet)
        #expect(payload.encoded.count <= 48 << 10)
    }

    @Test("A store's engine feeds the map: five beacons in the middle of four gateways make one cell a second")
    func engine() throws {
        let gateways = PositionTests.shop.replacing("[site]", with: "[site]\nheat_cell_m = 4")
        var store = try Store(gateways)
        var map = try Map("heat_cell_m = 4")
        for gateway in ["a", "b", "c", "d"] { store.status(gateway, at: 0) }
        for minor in 1...5 { store.enter("a", "carts/1/\(minor)", minor: minor, at: 1) }
        for second in 2...30 {
            for gateway in ["a", "b", "c", "d"] {
                for minor in 1...5 { store.list(gateway, [minor: -65], "carts/1/\(minor)", at: Double(second)) }
            }
        }
        map.follow(store.outputs, at: 30)
        map.follow(at: 3_600)
        let cell = try #require(map.sheets.first?.cells.first)
        // The middle of the shop is (5, 4): the border of two rows of cells.
        #expect(cell.x_m == 6 && cell.beacons == 5)
        #expect(map.sheets.flatMap(\.cells).map(\.seconds).reduce(0, +) >= 5 * 25)
    }
}
