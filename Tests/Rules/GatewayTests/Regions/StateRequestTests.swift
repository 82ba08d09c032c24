import TestAir
import Testing

@testable import Core

@Suite("Requests for states and ranging")
struct StateRequestTests {
    /// Carts 1/1 … 1/n, heard every second from 1 s on.
    private func fleet(_ count: UInt16, end_s: Double) -> Air {
        var air = Air()
        for minor in 1...count {
            air.beacon(.beacon(1, minor), from: .fixed(UInt64(minor)), every_s: 1, start_s: 1, end_s: end_s)
        }
        return air
    }

    private let expanded = GatewaySettings.door { _, region in region.expansion = .minor }

    @Test("The state is the one that was announced last, with since")
    func state() {
        var air = Air()
        air.beacon(.beacon(), from: .fixed(1), start_s: 2, end_s: 5)
        let gateway = Conversation(.door(), air)
        #expect(gateway.ask(.state(StateRequest(region: "door")), at: 1)?.states == ["outside door since 0.0"])
        #expect(gateway.ask(.state(StateRequest(region: "door")), at: 3)?.states == ["inside door since 2.0"])
        #expect(gateway.ask(.state(StateRequest(region: "door")), at: 25)?.states == ["outside door since 25.0"])
    }

    @Test("A region that is not registered is refused by name")
    func unknownRegion() {
        let gateway = Conversation(.door())
        #expect(gateway.ask(.state(StateRequest(region: "roof")), at: 1)?.refusal == .unknownRegion)
        #expect(gateway.ask(.range(region: "roof", .whole), at: 1)?.refusal == .unknownRegion)
    }

    @Test("A request names one instance of an expanded region, or all; a value never heard has no state")
    func instances() {
        let gateway = Conversation(expanded, fleet(3, end_s: 5))
        #expect(
            gateway.ask(.state(StateRequest(region: "door", major: 1, minor: 2)), at: 2)?.states == [
                "inside door/1/2 since 1.0"
            ])
        #expect(gateway.ask(.state(StateRequest(region: "door")), at: 2)?.states?.count == 3)
        #expect(gateway.ask(.state(StateRequest(region: "door", major: 9, minor: 2)), at: 2)?.states == [])
    }

    @Test("Pages together hold every state once, and the last one names no next")
    func pages() {
        let gateway = Conversation(expanded, fleet(10, end_s: 5))
        var start: Int? = 0
        var pages: [[String]] = []
        while let from = start {
            let answer = gateway.ask(.state(StateRequest(limit: 4, start: from)), at: 2)
            pages.append(answer?.states ?? [])
            start = answer?.next
        }
        #expect(pages.map(\.count) == [4, 4, 2])
        #expect(Set(pages.joined()).count == 10)
        #expect(gateway.ask(.state(StateRequest(start: .max)), at: 2)?.states == [])
    }

    @Test("A ranging list is given also where the region is not ranged, nearest first")
    func ranging() throws {
        var air = Air()
        air.beacon(.beacon(1, 1), from: .fixed(1), rssi_dbm: -80, start_s: 1, end_s: 5)
        air.beacon(.beacon(1, 2), from: .fixed(2), rssi_dbm: -50, start_s: 1, end_s: 5)
        let gateway = Conversation(.door { _, region in region.isRanged = false }, air)
        let report = try #require(gateway.ask(.range(region: "door", .whole), at: 3)?.ranging)
        #expect(report.count == 2)
        #expect(report.beacons.map(\.identity.minor) == [2, 1])
        #expect(report.at == .origin + .seconds(3))
    }

    @Test("A ranging list of an expanded region needs the instance, and one never heard is empty")
    func rangingInstance() {
        let gateway = Conversation(expanded, fleet(2, end_s: 5))
        let refused = gateway.ask(.range(region: "door", .major(1)), at: 2)
        #expect(refused?.text == "region \"door\": give a major and a minor, which names one instance of it")
        #expect(gateway.ask(.range(region: "door", .minor(major: 1, minor: 2)), at: 2)?.ranging?.count == 1)
        #expect(
            gateway.ask(.range(region: "door", .minor(major: 8, minor: 2)), at: 2)?.ranging?.beacons == [])
    }
}
