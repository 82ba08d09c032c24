import RealModule
import Testing

@testable import Core

@Suite("Positions where three gateways of a floor have one")
struct PositionTests {
    /// Four gateways in the corners of 10 by 8 m, and one above.
    static let shop =
        "[site]" + Store.gateway("a", zone: "shop", at: (0, 0)) + Store.gateway("b", zone: "shop", at: (10, 0))
        + Store.gateway("c", zone: "shop", at: (10, 8)) + Store.gateway("d", zone: "shop", at: (0, 8))
        + Store.gateway("up", zone: "shop", at: (5, 4), floor: 1)

    private static func level(_ x_m: Double, _ y_m: Double, from gateway: (Double, Double)) -> Double {
        -55 - 25 * Double.log10(max(0.5, Double.hypot(x_m - gateway.0, y_m - gateway.1)))
    }

    /// - Parameter weakened: a gateway that hears the beacon 3 dB weaker than its distance explains.
    private func place(
        _ x_m: Double, _ y_m: Double, without: Set<String> = [], weakened: String? = nil
    ) throws -> (Double, Double, Int, Double)? {
        var store = try Store(Self.shop)
        for gateway in ["a", "b", "c", "d", "up"] { store.status(gateway, at: 0) }
        store.enter("a", at: 1)
        let corners = ["a": (0.0, 0.0), "b": (10.0, 0.0), "c": (10.0, 8.0), "d": (0.0, 8.0)]
        var levels = corners.filter { !without.contains($0.key) }.mapValues { Self.level(x_m, y_m, from: $0) }
        if let weakened { levels[weakened]? -= 3 }
        levels["up"] = -88
        store.list(levels, from: 1, to: 20)
        return store.listed?.beacons.first?.place?.position.map { ($0.x_m, $0.y_m, $0.floor, $0.error_m) }
    }

    @Test("A place is right to a metre where levels fit", arguments: [(2.0, 2.0), (5.0, 4.0), (8.0, 6.0), (9.0, 1.0)])
    func found(x_m: Double, y_m: Double) throws {
        let (x, y, floor, error_m) = try #require(try place(x_m, y_m))
        #expect(Double.hypot(x - x_m, y - y_m) < 1 && floor == 0 && error_m > 0.1 && error_m < 10)
    }

    @Test("A far gateway that hears 3 dB less moves a place only a little, even with an even number of gateways")
    func weakened() throws {
        let (x, y, _, _) = try #require(try place(9, 1, weakened: "a"))
        #expect(Double.hypot(x - 9, y - 1) < 1.2)
    }

    @Test("The floor is that of the zone, even in a second in which another floor's gateway hears the beacon best")
    func floorOfTheZone() throws {
        let places = [(0.0, 0.0), (10, 0), (5, 8)]
        let zones: [(String, Int)] = [("shop", 0), ("office", 1)]
        let floors = zones.flatMap { zone, floor in
            places.indices.map { Store.gateway("\(zone)-\($0)", zone: zone, at: places[$0], floor: floor) }
        }
        var store = try Store("[site]" + floors.joined())
        for zone in ["shop", "office"] { for number in 0...2 { store.status("\(zone)-\(number)", at: 0) } }
        store.enter("shop-0", at: 1)
        var levels = ["shop-0": -60.0, "shop-1": -68, "shop-2": -68, "office-0": -70, "office-1": -78, "office-2": -78]
        store.list(levels, from: 1, to: 20)
        levels["office-0"] = -58
        store.list(levels, from: 21, to: 21)
        store.advance(to: 21.9)
        let place = try #require(store.listed?.beacons.first?.place)
        #expect(place.zone == "shop" && place.position?.floor == 0)
        levels["office-0"] = -50
        store.list(levels, from: 22, to: 40)
        let later = try #require(store.listed?.beacons.first?.place)
        #expect(later.zone == "office" && later.position?.floor == 1)
    }

    @Test("Two gateways of a floor are too few")
    func tooFew() throws {
        #expect(try place(3, 3, without: ["c", "d"]) == nil)
    }

    @Test("Three are enough")
    func three() throws {
        let (x, y, _, _) = try #require(try place(3, 3, without: ["d"]))
        #expect(Double.hypot(x - 3, y - 3) < 2)
    }

    @Test("The error contains two of three where levels scatter by 3 dB: more than half, and not all")
    func errorHolds() throws {
        var random = RandomStream(seed: 7)
        var held = 0
        let corners = [("a", 0.0, 0.0), ("b", 10.0, 0.0), ("c", 10.0, 8.0), ("d", 0.0, 8.0)]
        for _ in 0..<60 {
            let (x_m, y_m) = (random.uniform(0..<10), random.uniform(0..<8))
            var store = try Store(Self.shop)
            for (name, _, _) in corners { store.status(name, at: 0) }
            store.enter("a", at: 1)
            for second in 1...3 {
                for (name, at_x, at_y) in corners {
                    let level_dbm = Self.level(x_m, y_m, from: (at_x, at_y)) + 3 * random.normal()
                    store.list(name, [1: level_dbm], at: Double(second))
                }
            }
            store.advance(to: 3.5)
            let position = try #require(store.listed?.beacons.first?.place?.position)
            held += Double.hypot(position.x_m - x_m, position.y_m - y_m) <= position.error_m ? 1 : 0
        }
        #expect((30...57).contains(held), "\(held) of 60")
    }
}
