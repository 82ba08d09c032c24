import Testing

@testable import Core
@testable import VirtualController

@Suite("Recorded events are converted to the form of the scan")
struct ReportFormTests {
    private let legacy = Scan(family: .legacy, filtersDuplicates: false)
    private let extended = Scan(family: .extended, filtersDuplicates: false)

    private func report(_ type: UInt16, isExtended: Bool = false, _ number: UInt64 = 1) -> AdvertisingReport {
        AdvertisingReport(
            isExtended: isExtended, eventType: type, address: DeviceAddress(bits: number, type: .random), rssi_dbm: -60)
    }

    private func event(_ reports: [AdvertisingReport]) -> [UInt8] {
        AdvertisingReportEncoder.event(reports.map { ($0, [UInt8](repeating: 0xAB, count: 30)) })
    }

    private func reports(_ events: [[UInt8]]) -> [AdvertisingReport] {
        var found: [AdvertisingReport] = []
        var rejects = RejectCounts()
        for event in events {
            AdvertisingEvent.decode(event.span, rejects: &rejects) { report, data in
                if data.count == 30 { found.append(report) }
            }
        }
        return found
    }

    @Test("An event in the right form is sent as recorded, with any damage")
    func unchanged() {
        var form = ReportForm()
        let damaged = event([report(0x03)]).dropLast(5)
        #expect(form.events(for: Array(damaged), legacy) == [Array(damaged)])
    }

    @Test(
        "An extended scan reports a legacy PDU with bit 4 set and its type spelled out",
        arguments: [(0x00, 0x13), (0x01, 0x15), (0x02, 0x12), (0x03, 0x10), (0x04, 0x1B)] as [(UInt16, UInt16)])
    func types(type: UInt16, extendedType: UInt16) {
        var form = ReportForm()
        let spelledOut = reports(form.events(for: event([report(type)]), extended))
        #expect(spelledOut == [report(extendedType, isExtended: true)])
        #expect(reports(form.events(for: event(spelledOut), legacy)) == [report(type)])
    }

    @Test("A legacy scan does not hear an extended PDU")
    func extendedPDU() {
        var form = ReportForm()
        #expect(form.events(for: event([report(0x00, isExtended: true)]), legacy) == [])
    }

    @Test("Six legacy reports fill one event, and two in extended form, and none is lost")
    func split() {
        var form = ReportForm()
        let recorded = event((1...6).map { report(0x03, $0) })
        let events = form.events(for: recorded, extended)
        #expect(events.count == 2)
        #expect(reports(events).map(\.address.bits) == [1, 2, 3, 4, 5, 6])
    }

    @Test("With filtered duplicates an advertiser is reported once in a scan")
    func duplicates() {
        var form = ReportForm()
        let filtering = Scan(family: .legacy, filtersDuplicates: true)
        let recorded = event([report(0x03, 1), report(0x03, 2), report(0x03, 1)])
        #expect(reports(form.events(for: recorded, filtering)).map(\.address.bits) == [1, 2])
        #expect(form.events(for: recorded, filtering) == [])
        form.reset()
        #expect(reports(form.events(for: recorded, filtering)).count == 2)
    }
}
