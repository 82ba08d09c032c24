import HCI
import Testing

@testable import VirtualController

@Suite("Several reports in one event")
struct EventBatchTests {
    private func event(_ minor: UInt8, dataLength: Int = 3) -> [UInt8] {
        let report = AdvertisingReport(
            isExtended: false, eventType: 3, address: DeviceAddress(bits: UInt64(minor), type: .public), rssi_dbm: -60)
        return AdvertisingReportEncoder.event([(report, Array(repeating: minor, count: dataLength))])
    }

    private func addresses(_ events: [[UInt8]]) -> [[UInt64]] {
        events.map { event in
            var (found, rejects) = ([UInt64](), RejectCounts())
            AdvertisingEvent.decode(event.span, rejects: &rejects) { report, _ in found.append(report.address.bits) }
            return found
        }
    }

    @Test("What is due together travels together, in order, up to the limit")
    func limit() {
        let events = (1...5).map { event($0) }
        #expect(addresses(EventBatch.packed(events, limit: 2)) == [[1, 2], [3, 4], [5]])
        #expect(EventBatch.packed(events, limit: 1) == events)
    }

    @Test("No event grows beyond the 255 octets that its length can say")
    func length() {
        let packed = EventBatch.packed((1...7).map { event($0, dataLength: 31) }, limit: 25)
        #expect(addresses(packed) == [[1, 2, 3, 4, 5, 6], [7]])
    }

    @Test("Events of different kinds stay apart")
    func kinds() {
        let other: [UInt8] = [0x3E, 2, 0x0D, 0]
        #expect(EventBatch.packed([event(1), other, [0x0E, 1, 0], event(2)], limit: 9).count == 4)
    }
}
