import Testing

@testable import Core

@Suite("A region's record has its kind and version")
struct StoredRegionTests {
    private static let timebase = Timebase(wallAtOrigin: WallTime(microseconds: 1_000_000_000), isSynced: true)
    private static let uuid = ProximityUUID(high: 0x39ED_98FF_2900_441A, low: 0x802F_9C39_8FC1_99D2)

    private func read(_ line: String, key: String = "carts", bootID: String? = "b") -> StoredRegion.Reading {
        StoredRegion.read(Array(line.utf8), key: key, Self.timebase, bootID: bootID)
    }

    private func record(
        _ key: String = "carts", of constraint: BeaconIdentityConstraint?, _ occupancy: RegionRecord.Occupancy
    ) throws -> RegionRecord {
        RegionRecord(instance: try #require(StoredRegion.instance(ofKey: key)), .beacon(of: constraint), occupancy)
    }

    private func stay(
        _ beginning: RegionStay.Beginning = .observed, rssi_dbm: Double? = -73.9, notifiesOnExit: Bool = true
    ) -> RegionRecord.OpenStay {
        RegionRecord.OpenStay(
            enteredAt: .origin + .seconds(100), lastHeardAt: .origin + .seconds(400), beginning: beginning,
            keeper: BeaconKeeper(major: 2, minor: 7, patience: .milliseconds(1_252), rssi_dbm: rssi_dbm),
            notifiesOnExit: notifiesOnExit)
    }

    @Test("After another boot, and in a replay, wall times count", arguments: ["another", nil])
    func timesOfDay(bootID: String?) throws {
        let line =
            "kind=beacon v=2 state=inside boot=b since_us=1 since_wall_us=1100000000 last_heard_us=2 "
            + "last_heard_wall_us=1400000000 major=2 minor=7 patience_us=1252000 partial=false event_seq=0"
        let region = try #require(read(line, bootID: bootID).region)
        #expect(region.record == (try record(of: nil, .inside(stay(rssi_dbm: nil)))))
    }

    @Test("A written record is read back equal, and its first words are the tag")
    func roundTrip() throws {
        let constraint = BeaconIdentityConstraint(uuid: Self.uuid, major: 2, minor: 7)
        let records = [
            try record(of: constraint, .outside(since: .origin + .seconds(100))),
            try record("carts/2", of: constraint, .inside(stay(.partial, notifiesOnExit: false))),
            try record("carts/2/7", of: nil, .inside(stay(rssi_dbm: nil))),
        ]
        for record in records {
            for bootID in ["b", nil] {
                let stored = StoredRegion(record: record, eventSeq: 3, epoch: "e")
                let line = stored.encoded(Self.timebase, bootID: bootID)
                #expect(String(decoding: line, as: UTF8.self).hasPrefix("kind=beacon v=2 "))
                let key = StoredRegion.key(record.instance)
                #expect(StoredRegion.read(line, key: key, Self.timebase, bootID: bootID) == .region(stored))
            }
        }
    }

    // MARK: - Records of another version

    @Test(
        "A later version and another kind differ from a damaged line, and are named",
        arguments: [
            ("kind=beacon v=3 state=inside", "kind=beacon v=3"), ("v=2 state=inside", "v=2"),
            ("kind=polygon v=1 state=inside since_us=1", "kind=polygon v=1"), ("kind=circle", "kind=circle"),
            ("kind=zone v=2 \"any words\" at all", "kind=zone v=2"),
        ])
    func unknown(line: String, said: String) {
        guard case .unknown(let tag) = read(line) else {
            Issue.record("\(line) is not distinguished")
            return
        }
        #expect("\(tag)" == said)
        #expect(read(line, key: "carts/zone/entrance") == .unknown(tag))
    }

    @Test(
        "A damaged line counts as none",
        arguments: [
            "", "carts", "state=inside", "kind=beacon v=2", "kind=beacon v=2 state=inside since_wall_us=1 event_seq=1",
            "kind=beacon v=2 state=outside since_wall_us=x event_seq=1",
            "kind=beacon v=2 state=outside since_wall_us=1",
        ])
    func damaged(line: String) {
        #expect(read(line) == .nothing)
    }

    @Test("A name that begins with a combining mark is whole in a record's key, although it joins the prefix")
    func combiningMark() {
        let name = "\u{301}door"
        let read = RecordPrefix.learning.name(ofKey: RecordPrefix.learning.key(name))
        #expect(read.map { Array($0.utf8) } == Array(name.utf8))
    }

    @Test("Records of other things than regions are none", arguments: ["/coverage", "/monitor/carts"])
    func otherRecords(key: String) {
        #expect(read("kind=polygon v=1", key: key) == .nothing)
    }
}
