import Foundation
import Testing

@testable import Core

@Suite("beacond replay: equal captures and configurations print equal bytes")
struct ReplayTests {
    private let shop = Capture.shop().octets

    private func topics(_ outcome: Beacond.Outcome) -> [String] { outcome.lines.compactMap { $0["topic"] as? String } }

    private func events(_ outcome: Beacond.Outcome) -> [[String: Any]] {
        outcome.lines.filter { ($0["topic"] as? String)?.hasSuffix("/event") == true }
            .compactMap { $0["payload"] as? [String: Any] }
    }

    @Test("Two runs are equal, and so is one through standard input")
    func deterministic() throws {
        let first = try Beacond.replay(shop)
        #expect(first.status == 0)
        #expect(try Beacond.replay(shop).output == first.output)
        #expect(try Beacond.replay(shop, throughInput: true).output == first.output)
    }

    @Test("Events are numbered from 1 without gaps, and t never goes back")
    func numbered() throws {
        let outcome = try Beacond.replay(shop)
        #expect(events(outcome).map { $0["seq"] as? Int } == [1, 2])
        #expect(events(outcome).map { $0["type"] as? String } == ["enter", "exit"])
        let times = outcome.lines.compactMap { $0["t"] as? Double }
        #expect(times.count == outcome.lines.count)
        #expect(times == times.sorted())
        #expect(topics(outcome).first == "beacons/shop/gw/status" && topics(outcome).last == "beacons/shop/gw/status")
        #expect(topics(outcome).contains("beacons/shop/gw/region/carts \"1\"/7/8/event"))
    }

    @Test("A beacon with an implausible measured power is named on standard error once and in health")
    func implausiblePower() throws {
        var capture = Capture()
        let frame = IBeaconFrame(identity: Capture.frame.identity, measuredPower_dbm: -3).encodedStructure
        for second in 0..<70 {
            capture.add(DeviceAddress(bits: 0xC0DE, type: .public), frame, at: Double(second))
        }
        let outcome = try Beacond.replay(capture.octets)
        #expect(
            outcome.errors.split(separator: "\n").count { $0.contains("beacon 7/8 states a measured power of -3 dBm") }
                == 1)
        let health = outcome.lines.last { ($0["topic"] as? String)?.hasSuffix("/health") == true }
        let named = (health?["payload"] as? [String: Any])?["implausible_power"] as? [[String: Any]]
        #expect(named?.map { $0["measured_power_dbm"] as? Int } == [-3])
    }

    @Test(
        "A list and an exit tell one time to the millisecond: times are cut, and ages and dwells follow from the times")
    func milliseconds() throws {
        var capture = Capture()
        for step in 0..<400 {
            let at_s = Double(step) * 0.1007
            capture.add(DeviceAddress(bits: 0xBEEF, type: .public), [2, 1, 6], at: at_s)
            guard (100..<200).contains(step) else { continue }
            capture.add(DeviceAddress(bits: 0xC0DE, type: .public), Capture.frame.encodedStructure, at: at_s + 0.0009)
        }
        let outcome = try Beacond.replay(capture.octets)
        let exit = try #require(events(outcome).last)
        func milliseconds(_ name: String, of message: [String: Any]) throws -> Int64 {
            let text = try #require(message[name] as? String)
            return Timestamp.milliseconds(try #require(Timestamp.time(text)))
        }
        let heardAt_ms = try milliseconds("last_heard_at", of: exit)
        let dwell_ms = try #require(exit["dwell_s"] as? Double) * 1_000
        let enteredAt_ms = try milliseconds("entered_at", of: exit)
        #expect(Int64(dwell_ms.rounded()) == heardAt_ms - enteredAt_ms)
        var ages_ms: [Int64] = []
        for line in outcome.lines where (line["topic"] as? String)?.hasSuffix("/ranging") == true {
            let list = try #require(line["payload"] as? [String: Any])
            for beacon in list["beacons"] as? [[String: Any]] ?? [] {
                let age_ms = try #require(beacon["age_ms"] as? Int)
                ages_ms.append(try milliseconds("at", of: list) - Int64(age_ms))
            }
        }
        #expect(ages_ms.last == heardAt_ms)
    }

    @Test("No message has a raw address unless it is asked for")
    func noRawAddress() throws {
        let text = String(decoding: try Beacond.replay(shop).output, as: UTF8.self).uppercased()
        #expect(text.contains("\"DEVICE\""))
        for form in ["40:00:00:00:00:01", "400000000001", "010000000040"] { #expect(!text.contains(form)) }
        let raw = try Beacond.replay(shop, configuration: Beacond.configuration + "\n[privacy]\ndevice = \"raw\"\n")
        #expect(String(decoding: raw.output, as: UTF8.self).contains("40:00:00:00:00:01"))
        let omitted = try Beacond.replay(
            shop, configuration: Beacond.configuration + "\n[privacy]\ndevice = \"omit\"\n")
        #expect(!String(decoding: omitted.output, as: UTF8.self).contains("\"device\""))
    }

    @Test("The closing line counts the messages, and none prints nothing else")
    func closingLine() throws {
        let outcome = try Beacond.replay(shop, arguments: ["--output", "none"])
        #expect(outcome.output.isEmpty)
        let line = try #require(outcome.errors.split(separator: "\n").last)
        #expect(line.hasPrefix("reports=256 ibeacons=76 rejected=0 tracks=1 events=2 seconds="))
    }

    @Test(
        "A truncated capture is read up to the cut, with status 65", arguments: [3, 16, 40, 5_000, 5_050, 9_999])
    func truncated(length: Int) throws {
        let whole = try Beacond.replay(shop)
        let cut = try Beacond.replay(Array(shop.prefix(length)))
        let isBoundary = length == 16
        #expect(cut.status == (isBoundary ? 0 : 65))
        #expect(cut.errors.contains("reports=") == (isBoundary || cut.lines.count > 0))
        // All but the goodbye, the end of the coverage and the status, equals the output of the whole capture.
        let said = cut.output.split(separator: UInt8(ascii: "\n")).dropLast(2)
        #expect(Array(said) == Array(whole.output.split(separator: UInt8(ascii: "\n")).prefix(said.count)))
    }

    @Test("A record with an impossible length ends the capture, and the exit status is 65")
    func damaged() throws {
        var damaged = shop
        damaged[5_000 + 4] = 0xFF
        for index in 5_000..<5_040 { damaged[index] = 0xFF }
        let outcome = try Beacond.replay(damaged)
        #expect(outcome.status == 65)
        #expect(outcome.lines.count > 1)
    }

    @Test("An empty capture prints nothing, and is no error")
    func empty() throws {
        let outcome = try Beacond.replay(Capture().octets)
        #expect(outcome.status == 0)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("reports=0 ibeacons=0"))
    }

    /// Returns a shop from `start_s` on, by the capture's clock: another device all the time, and the beacon while it
    /// is there.
    private func shop(from start_s: Double, seconds: Int, hasBeacon: Bool, in capture: inout Capture) {
        for step in 0..<seconds * 2 {
            let t_s = start_s + Double(step) / 2
            capture.add(DeviceAddress(bits: 0xBEEF, type: .public), [2, 1, 6], at: t_s)
            if hasBeacon {
                capture.add(DeviceAddress(bits: 0xF00D, type: .public), Capture.frame.encodedStructure, at: t_s)
            }
        }
    }

    @Test("A stay in which the clock was set back continues in the next capture: no event is dated before its cause")
    func clockSetBackAcrossCaptures() throws {
        let state = FileManager.default.temporaryDirectory.appendingPathComponent("beacond-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: state) }
        var first = Capture()
        shop(from: 0, seconds: 15, hasBeacon: false, in: &first)
        shop(from: 15, seconds: 15, hasBeacon: true, in: &first)
        shop(from: -30, seconds: 30, hasBeacon: true, in: &first)
        var second = Capture()
        shop(from: 1, seconds: 60, hasBeacon: false, in: &second)
        let begun = try Beacond.replay(first.octets, arguments: ["--state", state])
        #expect(events(begun).map { $0["type"] as? String } == ["enter"])
        let ended = try Beacond.replay(second.octets, arguments: ["--state", state])
        let exit = try #require(events(ended).first)
        #expect(exit["dwell_s"] as? Double == 44)
        // Half a second before the first capture's clock showed the start again.
        #expect(exit["last_heard_at"] as? String == "2023-11-14T22:13:19.500Z")
        for payload in (begun.lines + ended.lines).compactMap({ $0["payload"] as? [String: Any] }) {
            guard let at = payload["at"] as? String else { continue }
            for name in ["since", "entered_at", "last_heard_at"] { #expect(payload[name] as? String ?? "" <= at) }
        }
    }
}
