import TestAir
import Testing

@testable import Core

/// Two places and the length of the geodesic between them as GeographicLib 2.1 has it (C. F. F. Karney's algorithm,
/// exact to nanometres).
struct Line: CustomTestStringConvertible, Sendable {
    let name: String
    let ends: [Double]
    let length_m: Double

    init(_ name: String, _ ends: [Double], _ length_m: Double) {
        self.name = name
        self.ends = ends
        self.length_m = length_m
    }

    var testDescription: String { name }

    static let ordinary = [
        Line("a metre", [52.5163, 13.3777, 52.516309, 13.3777], 1.0015),
        Line("Berlin to Munich", [52.5163, 13.3777, 48.1374, 11.5755], 503_666.5854),
        Line("New York to London", [40.6413, -73.7781, 51.47, -0.4543], 5_554_908.7905),
        Line("a quarter of the equator", [0, 0, 0, 90], 10_018_754.1714),
        Line("along a meridian", [-30, 20, 30, 20], 6_640_226.7959),
        Line("nearly to the other side", [-50, -60, 48, 110], 19_253_008.4247),
    ]

    static let acrossTheAntimeridian = [
        Line("Fiji to Samoa", [-17.7134, 178.065, -13.759, -172.1046], 1_140_491.2863),
        Line("along the equator", [0, 179.5, 0, -179.5], 111_319.4908),
    ]

    static let atThePoles = [
        Line("from pole to pole", [90, 0, -90, 0], 20_003_931.4586),
        Line("from a pole to the equator", [90, 45, 0, -120], 10_001_965.7293),
        Line("over the pole", [89.9, 10, 89.9, -170], 22_338.7957),
        Line("beside the pole", [-89.99, 0, -89.99, 90], 1_579.5914),
    ]

    static let antipodal = [
        Line("19,861 km", [10, 0, -9, 179], 19_861_044.5607),
        Line("converges", [0, 0, 0.5, 179.5], 19_936_288.5790),
        Line("hardly converges", [0, 0, 0.5, 179.7], 19_944_127.4208),
        Line("shorter than along the equator", [0, 0, 0, 179.6], 19_989_165.4160),
        Line("opposite on the equator", [0, 0, 0, 180], 20_003_931.4586),
        Line("opposite at 30 degrees", [30, 0, -30, 180], 20_003_931.4586),
        Line("from the north", [30, 0, -29.9, 179.8], 19_989_832.8276),
        Line("from the south, westward", [-30, 0, 29.9, -179.8], 19_989_832.8276),
        Line("beside the poles", [89.9, 0, -89.9, 179.9], 20_003_912.0673),
        Line("a tenth of a millimetre from opposite", [1e-9, 0, -1e-9, 179.999_999_999], 20_003_931.4586),
    ]
}

@Suite("Distances on the ellipsoid")
struct GeodesicTests {
    private func distances_m(_ line: Line) throws -> [Double] {
        let start = try #require(Coordinate(latitude: line.ends[0], longitude: line.ends[1]))
        let end = try #require(Coordinate(latitude: line.ends[2], longitude: line.ends[3]))
        return [start.distance_m(to: end), end.distance_m(to: start)]
    }

    private func isRight(_ line: Line, share: Double) throws -> Bool {
        try distances_m(line).allSatisfy { abs($0 - line.length_m) <= share * line.length_m }
    }

    @Test(
        "A distance is accurate to 0.005 %, over the antimeridian and the poles too",
        arguments: Line.ordinary + Line.acrossTheAntimeridian + Line.atThePoles)
    func ordinary(line: Line) throws {
        #expect(try isRight(line, share: 0.000_05))
    }

    @Test("Flinders Peak to Buninyong, the example of Geoscience Australia, is 54,972.271 m")
    func published() throws {
        let flindersPeak = [-(37 + 57 / 60.0 + 3.72030 / 3_600), 144 + 25 / 60.0 + 29.52440 / 3_600]
        let buninyong = [-(37 + 39 / 60.0 + 10.15610 / 3_600), 143 + 55 / 60.0 + 35.38390 / 3_600]
        #expect(try isRight(Line("", flindersPeak + buninyong, 54_972.271), share: 0.000_05))
    }

    @Test("A distance between nearly antipodal places is accurate to 0.2 %", arguments: Line.antipodal)
    func antipodal(line: Line) throws {
        #expect(try isRight(line, share: 0.002))
    }

    @Test("A place has no distance from itself, with any longitude at the antimeridian or a pole")
    func itself() throws {
        let pairs = [
            [52.5163, 13.3777, 52.5163, 13.3777], [0, 0, 0, 0], [10, 180, 10, -180], [90, 0, 90, 120],
            [-90, 5, -90, -175],
        ]
        for ends in pairs {
            let line = Line("", ends, 0)
            #expect(try distances_m(line).holdForAll { $0 < 1e-6 }, "\(ends)")
        }
    }
}
