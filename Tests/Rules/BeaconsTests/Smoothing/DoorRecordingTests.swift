import Foundation
import Recordings
import Testing

@testable import Core

/// Real crossings of one door, heard by a receiver inside it (SAL data set, CC BY 4.0).
@Suite("A recorded door", .enabled(if: DoorRecording.isThere, "BEACOND_RECORDINGS names no folder with door-sal"))
struct DoorRecordingTests {
    @Test("The region filter finds the crossings as well as the best rules of its speed: F1 of 0.84 and more")
    func findsTheCrossings() throws {
        let runs = try DoorRecording.runs()
        #expect(bestF1(of: SignalFilter(.ewma, 2.5, scale: .fieldStrength), in: runs) >= 0.84)
        // Without smoothing, every fade causes a crossing.
        #expect(bestF1(of: SignalFilter(.none, 2.5), in: runs) < 0.4)
    }

    private func bestF1(of filter: SignalFilter, in runs: [DoorRecording]) -> Double {
        let thresholds = stride(from: -64.0, through: -50, by: 1)
        return thresholds.map { f1(of: filter, in: runs, enter_dbm: $0, exit_dbm: $0 - 2) }.max() ?? 0
    }

    /// Precision and recall in one. A crossing is detected once, between 3 s before it and 10 s after it.
    private func f1(
        of filter: SignalFilter, in runs: [DoorRecording], enter_dbm: Double, exit_dbm: Double
    ) -> Double {
        var (right, answers, crossings) = (0, 0, 0)
        for run in runs {
            var open = run.crossings
            crossings += open.count
            for event in run.events(of: filter, enter_dbm: enter_dbm, exit_dbm: exit_dbm) {
                answers += 1
                let match = open.firstIndex { $0.inward == event.inward && (-3...10).contains(event.at_s - $0.at_s) }
                guard let match else { continue }
                open.remove(at: match)
                right += 1
            }
        }
        return 2 * Double(right) / Double(answers + crossings)
    }
}

/// One run: the readings of the receiver `I-E`, and the times of the crossings.
struct DoorRecording {
    struct Crossing {
        var at_s: Double
        var inward: Bool
    }

    var readings: [Reading] = []
    var crossings: [Crossing] = []

    private static let folder = Recordings.folder("door-sal")

    static var isThere: Bool { folder != nil }

    static func runs() throws -> [DoorRecording] {
        guard let folder else { return [] }
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.filter { $0.pathExtension == "csv" }.sorted { $0.path < $1.path }.map {
            DoorRecording(csv: try String(contentsOf: $0, encoding: .utf8))
        }
    }

    /// `t_s`, ten receivers (empty where a frame was missed), `inside`.
    private init(csv: String) {
        let lines = csv.split(whereSeparator: \.isNewline)
        let rows = lines.map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        guard let header = rows.first, let column = header.firstIndex(of: "I-E") else { return }
        var wasInside: Bool?
        for row in rows.dropFirst() where row.count == header.count {
            guard let time_s = Double(row[0]) else { continue }
            if let rssi_dbm = Double(row[column]) { readings.append(Reading(rssi_dbm, at_s: time_s)) }
            let inside = row.last == "1"
            if let wasInside, wasInside != inside { crossings.append(Crossing(at_s: time_s, inward: inside)) }
            wasInside = inside
        }
    }

    func events(of filter: SignalFilter, enter_dbm: Double, exit_dbm: Double) -> [Crossing] {
        var filter = filter
        var inside: Bool?
        var events: [Crossing] = []
        for reading in readings {
            filter.add(reading.rssi_dbm, at: reading.at)
            guard let level = filter.value_dbm else { continue }
            let now = level >= enter_dbm || (inside == true && level >= exit_dbm)
            if let inside, inside != now { events.append(Crossing(at_s: reading.at_s, inward: now)) }
            inside = now
        }
        return events
    }
}
