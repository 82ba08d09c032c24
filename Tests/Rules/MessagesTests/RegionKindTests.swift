import Foundation
import Testing

@testable import Core

@Suite("Each kind of region has its part of every message and record")
struct RegionKindTests {
    private let timebase = Timebase(wallAtOrigin: WallTime(microseconds: 1_700_000_000_123_999), isSynced: true)

    /// Returns the fields that a schema of the contract declares.
    private func declared(_ schema: String) throws -> Set<String> {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../deploy/contract/\(schema).schema.json")
        let json = try JSONSerialization.jsonObject(with: try Data(contentsOf: file)) as? [String: Any]
        return Set(try #require(json?["properties"] as? [String: Any]).keys)
    }

    private func written(_ payload: any Payload) throws -> Set<String> {
        let json = try JSONSerialization.jsonObject(with: Data(payload.encoded)) as? [String: Any]
        return Set(try #require(json).keys)
    }

    @Test("The schemas of events and states declare every field of a kind")
    func schemas() throws {
        let (ofEvents, ofStates) = (try declared("event"), try declared("state"))
        var samples = Samples(seed: 11)
        var (crossed, stated): (Set<RegionKind>, Set<RegionKind>) = ([], [])
        for _ in 0..<200 {
            let event = try #require(samples.payload(.event) as? EventPayload)
            crossed.insert(event.cause.kind)
            #expect(try written(event).subtracting(ofEvents).isEmpty)
            let state = try #require(samples.payload(.state) as? StatePayload)
            stated.insert(state.detail.kind)
            #expect(try written(state).subtracting(ofStates).isEmpty)
        }
        #expect(crossed == Set(RegionKind.allCases) && stated == crossed)
    }

    private func region(_ kind: RegionKind) throws -> (RegionRecord.Kind, BeaconKeeper?) {
        switch kind {
        case .beacon:
            let uuid = try #require(ProximityUUID("39ED98FF-2900-441A-802F-9C398FC199D2"))
            return (
                .beacon(of: BeaconIdentityConstraint(uuid: uuid, major: 1, minor: nil)),
                BeaconKeeper(major: 1, minor: 7, patience: .seconds(4), rssi_dbm: -60.5)
            )
        case .circle:
            let center = try #require(Coordinate(latitude: 0.1 + 0.2, longitude: -1e-7))
            return (.circle(of: Circle(center: center, radius_m: 1.0 / 3)), nil)
        }
    }

    @Test(
        "A state is stored under the kind's own word, and read again with every digit",
        arguments: RegionKind.allCases, ["boot", nil])
    func stored(_ kind: RegionKind, bootID: String?) throws {
        let (definition, keeper) = try region(kind)
        let stay = RegionRecord.OpenStay(
            enteredAt: .origin + .seconds(3), lastHeardAt: .origin + .seconds(9), beginning: .partial, keeper: keeper,
            notifiesOnExit: false)
        for occupancy in [RegionRecord.Occupancy.inside(stay), .outside(since: .origin + .seconds(2))] {
            let record = RegionRecord(instance: RegionInstanceID(region: "yard"), definition, occupancy)
            let region = StoredRegion(record: record, eventSeq: 7, epoch: "e")
            let octets = region.encoded(timebase, bootID: bootID)
            #expect(String(decoding: octets, as: UTF8.self).hasPrefix("kind=\(kind.rawValue) "))
            #expect(StoredRegion.read(octets, key: "yard", timebase, bootID: bootID) == .region(region))
        }
    }

    @Test("A stay that is not watched any more has an exit of the kind", arguments: RegionKind.allCases)
    func ended(_ kind: RegionKind) throws {
        let (definition, keeper) = try region(kind)
        let stay = RegionRecord.OpenStay(enteredAt: .origin, lastHeardAt: .origin + .seconds(9), keeper: keeper)
        let record = RegionRecord(instance: RegionInstanceID(region: "yard"), definition, .inside(stay))
        #expect(try #require(record.unmonitoredExit(at: .origin + .seconds(20))).cause.kind == kind)
    }
}
