import Testing

@testable import Core

@Suite("The distance for every fix")
struct NearDistanceTests {
    private static let latitudes = [-90, -89.995, -85.2, -60, -33.3, -0.4, 0, 12, 45, 52.5163, 71, 84, 88.9, 89.6]
    private static let steps_deg = [-1, -0.31, -0.02, -0.0005, 0, 0.000_01, 0.004, 0.2, 0.999]

    @Test("The distance is within 0.1 % of the geodesic for places within a degree", arguments: latitudes)
    func nearPlaces(latitude: Double) throws {
        let start = try #require(Coordinate(latitude: latitude, longitude: 179.9))
        var measured = 0
        for north in Self.steps_deg {
            for east in Self.steps_deg {
                let longitude = (start.longitude + east).remainder(dividingBy: 360)
                guard let end = Coordinate(latitude: latitude + north, longitude: longitude) else { continue }
                let exact_m = start.distance_m(to: end)
                #expect(abs(start.nearDistance_m(to: end) - exact_m) <= exact_m * 0.001 + 1e-6, "\(north), \(east)")
                measured += 1
            }
        }
        #expect(measured >= 36)
    }

    @Test("Places further apart are measured on the ellipsoid")
    func farPlaces() throws {
        let berlin = try #require(Coordinate(latitude: 52.5163, longitude: 13.3777))
        let munich = try #require(Coordinate(latitude: 48.1374, longitude: 11.5755))
        #expect(berlin.nearDistance_m(to: munich) == berlin.distance_m(to: munich))
    }
}
