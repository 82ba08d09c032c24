import RealModule
import TestAir
import Testing

@testable import Core

@Suite("Offsets are proposed from beacons that stand still")
struct OffsetFitTests {
    private static let corners = [
        "a": (0.0, 0.0), "b": (10.0, 0.0), "c": (10.0, 8.0), "d": (0.0, 8.0), "e": (5.0, 4.0),
    ]
    private static let topics = TopicTree(prefix: "beacons", site: "store", gateway: "site")

    /// Returns the proposals where gateways hear weaker by these differences, and beacons swing by some dB.
    private func proposals(deaf: [String: Double], beacons: Int, swing_db: Double = 1) throws -> [String: Double] {
        let gateways = Self.corners.sorted { $0.key < $1.key }.map { Store.gateway($0.key, at: $0.value) }
        let settings = try Settings.parse("[site]" + gateways.joined())
        var fit = OffsetFit(try #require(settings.site))
        for number in 0..<beacons {
            let (x_m, y_m) = (1 + Double(number * 37 % 80) / 10, 1 + Double(number * 53 % 60) / 10)
            for (gateway, corner) in Self.corners.sorted(by: { $0.key < $1.key }) {
                let distance_m = max(0.5, Double.hypot(x_m - corner.0, y_m - corner.1))
                let level_dbm = -59 - 22 * Double.log10(distance_m) - (deaf[gateway] ?? 0)
                for second in 0..<20 {
                    let swing = second % 2 == 0 ? swing_db : -swing_db
                    fit.receive(try Self.list(gateway, minor: number + 1, rssi_dbm: level_dbm + swing))
                }
            }
        }
        return Dictionary(uniqueKeysWithValues: fit.proposals.map { ($0.gateway, $0.proposed_db) })
    }

    private static func list(_ gateway: String, minor: Int, rssi_dbm: Double) throws -> GatewayMessage {
        let payload =
            #"{"schema":1,"at":"2026-01-01T00:00:00.000Z","clock":"synced","region":"carts","count":1,"beacons":[{"track":1,"uuid":"39ED98FF-2900-441A-802F-9C398FC199D2","major":1,"minor":\#(minor),"proximity":"near","accuracy_m":2,"accuracy_error_m":1,"rssi_dbm":\#(rssi_dbm),"measured_power_dbm":-59,"age_ms":0}]}"#
        return try GatewayMessage(
            topic: "beacons/store/\(gateway)/region/carts/ranging", payload: Array(payload.utf8), store: topics)
    }

    @Test("A gateway that hears 6 dB less than the others gets 6 dB")
    func deaf() throws {
        let proposed = try proposals(deaf: ["b": 6], beacons: 12)
        #expect(abs(try #require(proposed["b"]) - 6) <= 1.5)
        #expect(proposed.filter { $0.key != "b" }.values.holdForAll { abs($0) <= 1.5 })
    }

    @Test("If all hear alike, no offset changes")
    func alike() throws {
        let proposed = try proposals(deaf: [:], beacons: 12)
        #expect(proposed.values.holdForAll { abs($0) <= 1 }, "\(proposed)")
        // The number of beacons that makes a proposal where one gateway hears less.
        #expect(try !proposals(deaf: ["b": 3], beacons: 12).isEmpty)
    }

    @Test("Beacons that move do not count, and two are too few")
    func tooFew() throws {
        #expect(try proposals(deaf: [:], beacons: 12, swing_db: 8).isEmpty)
        #expect(try proposals(deaf: [:], beacons: 2).isEmpty)
    }
}
