import Testing

@testable import Agent
@testable import Core

@Suite("The installer's report on the adapters")
struct AdapterReportTests {
    private let adapter = Adapter(
        index: 0, address: DeviceAddress(bits: 0x001A_7DDA_7113, type: .public), isUp: true, isBlocked: false)

    @Test("A usable adapter is ready, by name and address, and needs no remedy")
    func ready() {
        let reports = AdapterSurvey(adapters: [adapter]).reports(on: [.automatic])
        #expect(reports.map(\.description) == ["hci0 (00:1A:7D:DA:71:13): ready"])
        #expect(reports.map(\.remedy) == [""])
    }

    @Test("A missing adapter is named as in the configuration")
    func missing() {
        let reports = AdapterSurvey(adapters: [adapter]).reports(on: [
            .index(3), .address(.init(bits: 1, type: .public)),
        ])
        #expect(reports.map(\.description) == ["hci3: absent", "00:00:00:00:00:01: absent"])
        #expect(reports.first?.remedy == RadioAvailability.absent.remedy)
    }

    @Test("A kernel or sandbox without Bluetooth has a remedy of its own")
    func unsupported() throws {
        let report = try #require(AdapterSurvey(adapters: [], isSupported: false).reports(on: [.automatic]).first)
        #expect(report.obstacle == .absent)
        #expect(report.remedy.contains("AF_BLUETOOTH"))
    }

    @Test("The agent and its check name the same cause for a missing adapter")
    func sameCause() throws {
        for isSupported in [true, false] {
            let survey = AdapterSurvey(adapters: [], isSupported: isSupported)
            let report = try #require(survey.reports(on: [.automatic]).first)
            let condition = RadioCondition(.absent, mayAdminister: false, isSupported: isSupported)
            #expect(report.remedy == condition.remedy)
        }
        #expect(
            RadioCondition(.absent, mayAdminister: false, isSupported: true).remedy
                != RadioCondition(.absent, mayAdminister: false, isSupported: false).remedy)
    }

    @Test("An adapter that is off is no problem to an agent that can power it up, and to any other it is")
    func off() throws {
        let survey = AdapterSurvey(adapters: [
            Adapter(index: 0, address: adapter.address, isUp: false, isBlocked: false)
        ])
        let privileged = try #require(survey.reports(on: [.automatic], mayAdminister: true).first)
        #expect(privileged.remedy.isEmpty && privileged.description.hasSuffix("brings it up when it starts"))
        let other = try #require(survey.reports(on: [.automatic], mayAdminister: false).first)
        #expect(other.remedy.contains("CAP_NET_ADMIN") && other.description.hasSuffix(": off"))
    }

    @Test("Two configured adapters need two")
    func two() {
        let reports = AdapterSurvey(adapters: [adapter]).reports(on: [.automatic, .automatic])
        #expect(reports.map(\.obstacle) == [nil, .absent])
    }
}
