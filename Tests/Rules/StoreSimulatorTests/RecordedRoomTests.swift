import Foundation
import Recordings
import Testing

@testable import Core

/// The simulated radio beside the real one: beacons at rest that send every 100 ms (rooms, 2015, Apache-2.0).
@Suite(
    "A recorded room",
    .enabled(if: RecordedRoom.folder != nil, "BEACOND_RECORDINGS names no folder with rooms-2015-03-10"))
struct RecordedRoomTests {
    @Test("Gaps are distributed as recorded: their quartiles to 2 ms, and the share without a loss")
    func gaps() throws {
        let simulated = RecordedRoom.Readings(StoreSimulation.packets(of: floor([resting(at: 1.5)])))
        for room in ["Room201", "Room202", "Room203", "Room204"] {
            let recorded = try RecordedRoom.resting(in: room)
            for share in [0.25, 0.5] {
                #expect(abs(simulated.gap_s(share) - recorded.gap_s(share)) < 0.002)
            }
            // 79 to 91 % in the recordings.
            #expect(abs(simulated.withoutLoss - recorded.withoutLoss) < 0.1)
        }
    }

    @Test("Consecutive means of two seconds differ as little as recorded")
    func levels() throws {
        let simulated = try (1...4 as ClosedRange<UInt64>).map { seed in
            try #require(
                RecordedRoom.Readings(StoreSimulation.packets(of: floor([resting(at: 1.5)]), seed: seed)).step_db)
        }
        let recorded = try ["Room201", "Room202", "Room203", "Room204"].map {
            try #require(try RecordedRoom.resting(in: $0).step_db)
        }
        #expect(mean(recorded) < 1 && mean(simulated) < 1)
        #expect(abs(mean(simulated) - mean(recorded)) < 0.4)
    }
}

enum RecordedRoom {
    /// The readings of one beacon.
    struct Readings {
        var at_s: [Double] = []
        var rssi_dbm: [Double] = []

        init() {}

        init(_ packets: [StoreSimulation.Packet]) {
            at_s = packets.map { ($0.at - .origin).seconds }
            rssi_dbm = packets.map { Double($0.report.rssi_dbm ?? 0) }
        }

        private var gaps_s: [Double] { zip(at_s, at_s.dropFirst()).map { $1 - $0 } }

        /// Returns the gap that `share` of the gaps are below.
        func gap_s(_ share: Double) -> Double {
            let sorted = gaps_s.sorted()
            return sorted.isEmpty ? 0 : sorted[Int(share * Double(sorted.count - 1))]
        }

        /// The share of gaps of one advertising interval.
        var withoutLoss: Double { Double(gaps_s.count { $0 < 0.15 }) / Double(max(1, gaps_s.count)) }

        /// The median step from one mean of two seconds to the next.
        var step_db: Double? {
            let means = Dictionary(grouping: at_s.indices) { Int(at_s[$0] / 2) }.mapValues {
                mean($0.map { rssi_dbm[$0] })
            }
            let steps = means.compactMap { second, level in means[second + 1].map { abs($0 - level) } }.sorted()
            return steps.isEmpty ? nil : steps[steps.count / 2]
        }
    }

    static let folder = Recordings.folder("rooms-2015-03-10")

    /// The beacon in the room of a gateway.
    static func resting(in room: String) throws -> Readings {
        let file = try #require(folder).appendingPathComponent("\(room).btsnoop")
        let octets = [UInt8](try Data(contentsOf: file))
        var reader = BTSnoopReader()
        var position = 0
        var readings = Readings()
        var rejects = RejectCounts()
        let minor = 0x14 as UInt16
        while let record = try reader.next(octets.span, from: &position) {
            guard let range = record.event else { continue }
            let at_s = Double(record.time.microseconds % 1_000_000_000_000) / 1e6
            let event = Array(octets[range])
            AdvertisingEvent.decode(event.span, rejects: &rejects) { report, _ in
                guard report.address.bits & 0xFFFF == UInt64(minor), let rssi_dbm = report.rssi_dbm else { return }
                readings.at_s.append(at_s)
                readings.rssi_dbm.append(Double(rssi_dbm))
            }
        }
        return readings
    }
}
