import Testing

@testable import Agent
@testable import Core
@testable import beacond

@Suite("What check says of a receiver")
struct ReceiverFindingTests {
    /// A message of MOKO's gateway with two packets.
    private func moko(_ number: Int, field: String = "adv_data") -> String {
        let packet =
            #"{"mac":"abdf01fc9e98","timestamp":\#(1_795_883_385_000 + number),"rssi":-61,"\#(field)":"020106"}"#
        return #"{"msg_id":3070,"data":[\#(packet),\#(packet)]}"#
    }

    private func finding(
        _ messages: [(text: String, topic: String)], as format: ReceiverFormat = .moko, every period_s: Double = 1,
        isRetained: Bool = false
    ) -> ReceiverFinding {
        ReceiverFinding(
            ReceiverSettings(topic: "rx/#", format: format),
            messages.enumerated().map { number, message in
                (
                    IncomingMessage(
                        topic: message.topic, payload: .bytes(Array(message.text.utf8)), isRetained: isRetained),
                    Instant.origin + .seconds(Double(number) * period_s)
                )
            })
    }

    private func batches(_ count: Int, field: String = "adv_data", topics: [String] = ["rx/a"]) -> [(
        text: String, topic: String
    )] {
        (0..<count).map { (moko($0, field: field), topics[$0 % topics.count]) }
    }

    @Test("A batch each second is well")
    func well() {
        let finding = finding(batches(12))
        #expect(finding.remedy == "" && finding.warnings == [])
        #expect(finding.line == "messages: 12, packets: 24, every 1.0 s")
    }

    @Test("Above 2 s it warns, by two batches already", arguments: [2, 4, 5])
    func slow(count: Int) {
        let finding = finding(batches(count), every: 3)
        #expect(finding.remedy == "")
        #expect(finding.warnings.map { $0.hasPrefix("it publishes every 3.0 s") } == [true])
    }

    @Test("Above 5 s it is a problem, by two batches already, and so is one batch alone", arguments: [1, 2, 3])
    func tooSlow(count: Int) {
        let finding = finding(batches(count), every: 6)
        #expect(finding.remedy.contains("set it to 1 s"))
    }

    @Test(
        "Messages of another layout are a problem that names the layout",
        arguments: [ReceiverFormat.minew, .cassia, .shelly])
    func otherLayout(format: ReceiverFormat) {
        #expect(finding(batches(12), as: format).remedy.contains(#"set receiver.format to "moko""#))
    }

    @Test("Packets without raw data are a problem that names the setting of the device")
    func noRawData() {
        let finding = finding(batches(12, field: "raw_data"))
        #expect(finding.remedy.contains("adv_data"))
        #expect(finding.line == "messages: 12, packets: 0")
    }

    @Test("Some packets without raw data are a warning")
    func someWithoutRawData() {
        let finding = finding(batches(6) + batches(2, field: "raw_data"))
        #expect(finding.remedy == "")
        #expect(finding.warnings.map { $0.contains("2: packets without") && $0.contains("adv_data") } == [true])
    }

    @Test("Messages without any packet are a warning: quiet air looks like that, and another setting too")
    func heartbeats() {
        let finding = finding((0..<12).map { _ in (#"{"msg_id":3003,"data":{}}"#, "rx/a") })
        #expect(finding.remedy == "")
        #expect(finding.warnings.map { $0.hasPrefix("no packet has come") } == [true])
    }

    @Test("Packets on two topics are a warning that names both")
    func twoSenders() {
        let finding = finding(batches(12, topics: ["rx/a", "rx/b"]))
        #expect(finding.warnings.map { $0.contains("rx/a") && $0.contains("rx/b") } == [true])
    }

    @Test("A message that the broker had kept is none")
    func kept() {
        let finding = finding(batches(1), isRetained: true)
        #expect(finding.line == "no message but one that the broker had kept")
        #expect(finding.remedy.contains("receiver.topic"))
    }
}
