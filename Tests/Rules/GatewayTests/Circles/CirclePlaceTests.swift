import Foundation
import Testing

@testable import Core

@Suite("Circles are right anywhere on the Earth")
struct CirclePlaceTests {
    /// Goes in and out again, beyond the boundary in some direction.
    private func crosses(_ center: Coordinate, radius_m: Double, inside: Coordinate, outside: Coordinate) -> [String] {
        var drive = Drive([Drive.depot(center: center, radius_m: radius_m)])
        for second in 0...20 { drive.fix(Double(second), at: outside) }
        for second in 30...50 { drive.fix(Double(second), at: inside) }
        for second in 60...80 { drive.fix(Double(second), at: outside) }
        return drive.events
    }

    private let there = ["enter depot 50.0", "exit depot 80.0"]

    @Test("Across the antimeridian")
    func antimeridian() {
        let center = Drive.place(-16.8, 179.9995)
        let inside = Drive.place(-16.8, -179.9999)
        let outside = Drive.place(-16.8, -179.997)
        #expect(crosses(center, radius_m: 150, inside: inside, outside: outside) == there)
    }

    @Test("At a centre on the antimeridian, with either sign", arguments: [180.0, -180.0])
    func onTheAntimeridian(longitude: Double) {
        let center = Drive.place(65, longitude)
        for side in [-179.9995, 179.9995] {
            let inside = Drive.place(65, side)
            let outside = Drive.place(65, side * 0.9999)
            #expect(crosses(center, radius_m: 100, inside: inside, outside: outside) == there)
        }
    }

    @Test("Around a pole, whose places have all longitudes", arguments: [90.0, -90.0])
    func pole(latitude: Double) {
        let center = Drive.place(latitude, 0)
        for longitude in [-180.0, -90, 0, 45, 179] {
            let inside = Drive.place(latitude * (1 - 1e-6), longitude)
            let outside = Drive.place(latitude * (1 - 1e-4), longitude)
            #expect(crosses(center, radius_m: 100, inside: inside, outside: outside) == there)
        }
    }

    @Test("Over a pole, from a centre beside it")
    func overThePole() {
        let center = Drive.place(89.9995, 20)
        let inside = Drive.place(89.9998, -160)
        let outside = Drive.place(89.99, -160)
        #expect(crosses(center, radius_m: 200, inside: inside, outside: outside) == there)
    }

    @Test("From 1 m to 100 km", arguments: [1.0, 3, 20, 1_000, 33_000, 100_000])
    func sizes(radius_m: Double) {
        var drive = Drive([Drive.depot(radius_m: radius_m)])
        drive.stay(0...20, north_m: radius_m * 0.4)
        drive.stay(21...50, north_m: radius_m * 1.1 + 25)
        #expect(drive.events == ["exit depot 41.0"])
    }

    @Test("The grid finds exactly the circles that contain a place, anywhere and of any size")
    func grid() throws {
        var random = SystemRandomNumberGenerator()
        var grid = CircleGrid()
        var circles: [Circle] = []
        for index in 0..<4_000 {
            // Near the poles, near the antimeridian and anywhere; many of them overlap.
            let latitudes: ClosedRange<Double> = [-90 ... -88.5, 88.5...90, -1...1, -90...90][index % 4]
            let longitude = index % 3 == 0 ? 180 - Double.random(in: 0...1, using: &random) : .random(in: -180...180)
            let center = Drive.place(.random(in: latitudes, using: &random), longitude)
            let circle = Circle(center: center, radius_m: pow(10, .random(in: 0...5, using: &random)))
            circles.append(circle)
            grid.insert(InstanceSlot(index: index), circle)
        }
        for _ in 0..<400 {
            let circle = try #require(circles.randomElement(using: &random))
            let latitude = circle.center.latitude + .random(in: -0.9...0.9) * circle.radius_m / 111_000
            let longitude = circle.center.longitude + .random(in: -0.9...0.9) * circle.radius_m / 100_000
            let place = Drive.place(min(max(latitude, -90), 90), longitude.remainder(dividingBy: 360))
            var found: Set<Int> = []
            grid.forEach(near: place) { entry in
                if entry.circle.center.nearDistance_m(to: place) <= entry.circle.radius_m {
                    #expect(found.insert(entry.slot.index).inserted)
                }
            }
            let expected = circles.indices.filter {
                circles[$0].center.nearDistance_m(to: place) <= circles[$0].radius_m
            }
            #expect(found == Set(expected), "\(place)")
        }
        for (index, circle) in circles.enumerated() { grid.remove(InstanceSlot(index: index), circle) }
        #expect(grid.count == 0)
    }
}
