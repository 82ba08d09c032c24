@testable import Core

/// Returns all packets heard in a scenario.
extension StoreSimulation {
    static func packets(of scenario: StoreScenario, seed: UInt64 = 1) -> [Packet] {
        var simulation = StoreSimulation(scenario: scenario, seed: seed)
        var packets: [Packet] = []
        while let packet = simulation.next() { packets.append(packet) }
        return packets
    }
}

/// A static beacon at rest for ten minutes, `distance_m` in front of a gateway at the origin.
func resting(at distance_m: Double, interval: TimeSpan = .milliseconds(100)) -> Actor {
    var path = ActorPath(from: FloorPoint(x_m: 0, y_m: distance_m), at: .origin)
    path.stay(.seconds(600))
    let address = DeviceAddress(bits: 0xC0FF_EE00_0001, type: .random)
    return Actor(
        beacon: BeaconIdentity(uuid: StoreScenario.storeUUID, major: 1, minor: 1), kind: .shelf, interval: interval,
        path: path, addresses: [AddressSpan(address: address, from: path.start, until: path.end)])
}

/// A phone that is carried to and fro for ten minutes between 1 m and 6 m from a gateway at the origin.
func pacing() -> Actor {
    phone(from: FloorPoint(x_m: 0, y_m: 1), by: [FloorPoint(x_m: 0, y_m: 6)], interval: .milliseconds(100))
}

/// A phone that is carried round a rectangle for ten minutes, with a gateway at the origin half a metre outside it.
func circling(interval: TimeSpan) -> Actor {
    let corners = [FloorPoint(x_m: 5, y_m: 6.5), FloorPoint(x_m: -3, y_m: 6.5), FloorPoint(x_m: -3, y_m: 0.5)]
    return phone(from: FloorPoint(x_m: 5, y_m: 0.5), by: corners, interval: interval)
}

private func phone(from start: FloorPoint, by corners: [FloorPoint], interval: TimeSpan) -> Actor {
    var path = ActorPath(from: start, at: .origin)
    while path.end < .origin + .seconds(600) {
        for corner in corners + [start] { path.walk(to: corner, speed_m_s: 1) }
    }
    let address = DeviceAddress(bits: 0x5000_0000_0001, type: .random)
    return Actor(
        beacon: BeaconIdentity(uuid: StoreScenario.storeUUID, major: 2, minor: 1), kind: .phone, interval: interval,
        path: path, addresses: [AddressSpan(address: address, from: path.start, until: path.end)])
}

/// Ten minutes of these actors alone around a gateway at the origin.
func floor(_ actors: [Actor], scanner: Scanner = .continuous, propagation: Propagation = Propagation()) -> StoreScenario
{
    StoreScenario(
        name: "test", duration: .seconds(600), gateway: FloorPoint(x_m: 0, y_m: 0), actors: actors,
        propagation: propagation, scanner: scanner)
}

func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(max(1, values.count)) }

func deviation(_ values: [Double]) -> Double { covariance(values, values).squareRoot() }

func correlation(_ left: [Double], _ right: [Double]) -> Double {
    covariance(left, right) / (deviation(left) * deviation(right))
}

private func covariance(_ left: [Double], _ right: [Double]) -> Double {
    let (leftMean, rightMean) = (mean(left), mean(right))
    return mean(zip(left, right).map { ($0 - leftMean) * ($1 - rightMean) })
}

extension Scanner {
    /// A scanner that never pauses: window = interval.
    static var continuous: Scanner {
        var scanner = Scanner()
        scanner.window = scanner.interval
        return scanner
    }
}
