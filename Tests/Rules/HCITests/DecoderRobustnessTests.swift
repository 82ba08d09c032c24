import TestAir
import Testing

@testable import Core

@Suite("No octet from the air or the controller traps a decoder")
struct DecoderRobustnessTests {
    private static func report(_ number: UInt64, isExtended: Bool) -> (AdvertisingReport, [UInt8]) {
        let report = AdvertisingReport(
            isExtended: isExtended, eventType: 0, address: DeviceAddress(bits: number, type: .public), rssi_dbm: -60)
        return (report, [2, 1, 6, 5, 0xFF, 0x4C, 0, 2, UInt8(truncatingIfNeeded: number)])
    }

    private static let events = [false, true].map { isExtended in
        AdvertisingReportEncoder.event((1...4).map { report($0, isExtended: isExtended) })
    }

    /// Decodes an event and its structures, and checks the invariants of decoding.
    private func decode(_ event: [UInt8]) -> [UInt64] {
        var addresses: [UInt64] = []
        var rejects = RejectCounts()
        var octets = 0
        AdvertisingEvent.decode(event.span, rejects: &rejects) { report, data in
            addresses.append(report.address.bits)
            octets += data.count
            _ = ADStructures.forEach(in: data) { _, content in octets += content.count * 0 }
        }
        #expect(octets <= event.count)
        #expect(addresses.count <= 255)
        return addresses
    }

    @Test("A directed report proves that the radio hears, and contains nothing to read or reject")
    func directed() {
        let event: [UInt8] = [0x3E, 0x12, 0x0B, 0x01, 0x01] + Array(repeating: 0, count: 15)
        let isHeard = AdvertisingEvent.isAdvertising(event.span)
        #expect(isHeard)
        var rejects = RejectCounts()
        AdvertisingEvent.decode(event.span, rejects: &rejects) { _, _ in Issue.record("there is no advertising data") }
        #expect(rejects == RejectCounts())
    }

    @Test("Cut anywhere, an event keeps the reports before the cut", arguments: events)
    func truncation(event: [UInt8]) {
        let whole = decode(event)
        #expect(whole == [1, 2, 3, 4])
        var kept = 0
        for length in event.indices {
            let addresses = decode(Array(event.prefix(length)))
            #expect(addresses == Array(whole.prefix(addresses.count)))
            #expect(addresses.count >= kept)
            kept = addresses.count
        }
        #expect(kept == 3)
    }

    @Test("Mutated events decode to something or to nothing", arguments: events)
    func mutation(event: [UInt8]) {
        var generator = SeededGenerator(seed: 1)
        var decoded = 0
        for _ in 0..<50_000 { decoded += decode(event.mutated(by: &generator)).count }
        #expect(decoded > 0)
    }

    @Test("Random octets decode to something or to nothing")
    func noise() {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<20_000 {
            let length = Int.random(in: 0..<64, using: &generator)
            let octets = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            _ = decode([0x3E, UInt8(length), Bool.random(using: &generator) ? 0x02 : 0x0D] + octets)
        }
    }

    @Test("A mutated report leaves those before it unchanged", arguments: events)
    func neighbours(event: [UInt8]) {
        // Header and first two reports stay; the octets behind them are mutated.
        let reportLength = (event.count - 4) / 4
        let kept = 4 + 2 * reportLength
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<20_000 {
            let tail = Array(event.dropFirst(kept)).mutated(by: &generator)
            #expect(decode(Array(event.prefix(kept)) + tail).prefix(2) == [1, 2])
        }
    }

    @Test("Structures never reach beyond their payload, cut anywhere or mutated")
    func structures() {
        let payload: [UInt8] = [2, 1, 6, 3, 3, 0x0F, 0x18, 1, 9, 5, 0xFF, 0x4C, 0, 2, 0x15, 0, 0]
        var generator = SeededGenerator(seed: 4)
        for number in 0..<50_000 {
            let octets = number < payload.count ? Array(payload.prefix(number)) : payload.mutated(by: &generator)
            var used = 0
            _ = ADStructures.forEach(in: octets.span) { _, content in used += 2 + content.count }
            #expect(used <= octets.count)
        }
    }

    @Test("Chains take any sequence of pieces, within their memory limit")
    func chains() {
        var generator = SeededGenerator(seed: 5)
        var chains = AdvertisingDataChains()
        let piece = [UInt8](repeating: 7, count: 229)
        for _ in 0..<50_000 {
            var (report, _) = Self.report(UInt64.random(in: 0..<40, using: &generator), isExtended: true)
            report.dataStatus =
                [.complete, .moreToCome, .moreToCome, .truncated].randomElement(using: &generator)
                ?? .complete
            let length = Int.random(in: 0...229, using: &generator)
            if case .joined(let data) = chains.append(report, piece.span.extracting(0..<length), at: .origin) {
                #expect(data.count <= AdvertisingDataChains.maxLength)
            }
        }
    }
}
