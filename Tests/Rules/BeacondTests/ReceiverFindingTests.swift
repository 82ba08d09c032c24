import Testing

@testable import Agent
@testable import Core
@testable import beacond

@Suite("What check says of a receiver")
struct ReceiverFindingTests {
    private static let iBeacon = "1aff4c00021539ed98ff2900441a802f9c398fc199d200010002c5"

    /// A message of MOKO's gateway with two packets.
    private func moko(_ number: Int, field: String = "adv_data", data: String = "020106") -> String {
        let packet =
            #"{"mac":"abdf01fc9e98","timestamp":\#(1_795_883_385_000 + number),"rssi":-61,"\#(field)":"\#(data)"}"#
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

    @Test("Messages of another layout beside those of the right one come from a second receiver, whose topic is named")
    func secondLayout() {
        let cassia = #"{"action":"data.scan","data":{"bdaddr":"abdf01fc9e98","rssi":-61,"adData":"020106"}}"#
        for first in [0, 1] {
            let finding = finding((0..<12).map { $0 % 2 == first ? (moko($0), "rx/a") : (cassia, "rx/b") })
            #expect(finding.remedy == "")
            #expect(
                finding.warnings.map {
                    $0.contains(": 6: ") && $0.contains("cassia") && $0.contains("rx/b")
                        && $0.contains("set receiver.topic") && !$0.contains("set receiver.format")
                } == [true])
        }
    }

    @Test("A receiver of which each packet is an iBeacon's may have a filter, and that is a warning")
    func filtered() {
        let alone = (0..<12).map { (moko($0, data: Self.iBeacon), "rx/a") }
        #expect(finding(alone).remedy == "")
        #expect(finding(alone).warnings.map { $0.contains("filter") } == [true])
        #expect(finding(alone + [(moko(12), "rx/a")]).warnings == [])
        #expect(finding(Array(alone.prefix(4))).warnings == [])
    }

    @Test("A message above 1 MiB is named as such")
    func tooLong() {
        let receiver = ReceiverSettings(topic: "rx/#", format: .moko)
        let heard = (0..<12).map { second in
            (
                IncomingMessage(topic: "rx/a", payload: .oversize(length: 2_000_000), isRetained: false),
                Instant.origin + .seconds(Double(second))
            )
        }
        #expect(ReceiverFinding(receiver, heard).remedy.contains("more than 1048576 octets"))
    }
}
