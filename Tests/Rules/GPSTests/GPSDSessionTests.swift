import Testing

@testable import Agent
@testable import Core

private let greeting = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#
private let release = GPSDVersion(release: "3.22", protocolMajor: 3, protocolMinor: 14)
private let watch = GPSDAction.send(Array("?WATCH={\"enable\":true,\"json\":true};\n".utf8))
private let unwatch = GPSDAction.send(Array("?WATCH={\"enable\":false};\n".utf8))
private let devices = GPSDAction.send(Array("?DEVICES;\n".utf8))
private let oneDevice = #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a"}]}"#
private let tpv = #"{"class":"TPV","device":"/dev/a","mode":1}"#

private func at(_ seconds: Double) -> Instant { .origin + .seconds(seconds) }

@Suite("A session with gpsd")
struct GPSDSessionTests {
    private var session = GPSDSession()

    private mutating func hear(_ lines: String..., at seconds: Double) -> [GPSDAction] {
        session.received(Array(lines.map { $0 + "\r\n" }.joined().utf8), at: at(seconds))
    }

    /// A session connected, greeted and answered at 0 s.
    private mutating func open(listening: Bool) {
        _ = session.listen(listening, at: at(0))
        _ = session.start(at: at(0))
        _ = session.connected(at: at(0))
        _ = hear(greeting, oneDevice, at: 0)
    }

    // MARK: - Connecting

    @Test("A session connects when it is started, and not before")
    mutating func starts() {
        #expect(session.listen(true, at: at(0)) == [])
        #expect(session.deadline == .distantFuture)
        #expect(session.start(at: at(1)) == [.connect])
        #expect(session.start(at: at(2)) == [])
    }

    @Test("Greeted by gpsd, it watches while the receivers are wanted")
    mutating func watches() {
        _ = session.listen(true, at: at(0))
        _ = session.start(at: at(0))
        #expect(session.connected(at: at(0.1)) == [])
        #expect(hear(greeting, at: 0.2) == [.report(.connected(release)), watch])
    }

    @Test("While the receivers may rest, it asks for them without waking one")
    mutating func asks() {
        _ = session.start(at: at(0))
        _ = session.connected(at: at(0.1))
        #expect(hear(greeting, at: 0.2) == [.report(.connected(release)), devices])
    }

    @Test("Without gpsd it retries after 1 s, then after pauses that double up to 60 s")
    mutating func doubles() {
        _ = session.start(at: at(0))
        var now = at(0)
        var pauses: [Double] = []
        for _ in 0..<8 {
            let refused = GPSDFailure.unreachable(reason: "Connection refused")
            #expect(session.failed(refused, at: now) == [.close, .report(.lost(refused))])
            pauses.append((session.deadline - now).seconds)
            now = session.deadline
            #expect(session.advance(to: now) == [.connect])
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60])
    }

    @Test("After a connection of 10 s the first pause is used again")
    mutating func resets() {
        open(listening: true)
        _ = session.failed(.closed(reason: ""), at: at(1))
        _ = session.advance(to: at(2))
        _ = session.connected(at: at(2))
        _ = hear(greeting, at: 2)
        _ = session.failed(.closed(reason: ""), at: at(11.9))
        #expect(session.deadline == at(13.9))
        _ = session.advance(to: at(14))
        _ = session.connected(at: at(14))
        _ = hear(greeting, at: 14)
        _ = session.failed(.closed(reason: ""), at: at(24))
        #expect(session.deadline == at(25))
    }

    @Test("An attempt without an answer times out after 10 s")
    mutating func unanswered() {
        _ = session.start(at: at(0))
        #expect(session.advance(to: at(9.9)) == [])
        #expect(
            session.advance(to: at(10)) == [
                .close, .report(.lost(.unreachable(reason: "no answer within 10 s"))),
            ])
    }

    @Test("A peer that never introduces itself is given up after 10 s")
    mutating func silent() {
        _ = session.start(at: at(0))
        _ = session.connected(at: at(1))
        #expect(session.advance(to: at(10.9)) == [])
        #expect(session.advance(to: at(11)) == [.close, .report(.lost(.silent))])
    }

    @Test(
        "A peer with another first message is not gpsd",
        arguments: ["HTTP/1.1 400 Bad Request", "{\"class\":\"TPV\",\"mode\":1}", "$GPRMC"])
    mutating func notGPSD(_ line: String) {
        _ = session.start(at: at(0))
        _ = session.connected(at: at(0))
        #expect(hear(line, greeting, at: 0.1) == [.close, .report(.lost(.notGPSD))])
    }

    @Test("A peer whose first line never ends is given up")
    mutating func endless() {
        _ = session.start(at: at(0))
        _ = session.connected(at: at(0))
        #expect(session.received([UInt8](repeating: 0x20, count: 4_096), at: at(0.1)) == [])
        #expect(session.received([0x20], at: at(0.2)) == [.close, .report(.lost(.notGPSD))])
    }

    @Test("Another major version of the protocol is refused, with a remedy")
    mutating func otherProtocol() {
        _ = session.start(at: at(0))
        _ = session.connected(at: at(0))
        let other = GPSDVersion(release: "9.1", protocolMajor: 4, protocolMinor: 2)
        let line = #"{"class":"VERSION","release":"9.1","proto_major":4,"proto_minor":2}"#
        #expect(hear(line, at: 0.1) == [.close, .report(.lost(.otherProtocol(other)))])
        let failure = GPSDFailure.otherProtocol(other)
        #expect("\(failure)" == "gpsd 9.1 speaks protocol 4.2, and 3 is understood")
        #expect(failure.remedy == "install a beacond that understands this gpsd, or a gpsd whose protocol is 3")
    }

    // MARK: - Reports

    @Test("Receivers' reports are passed on with their arrival times")
    mutating func reports() {
        open(listening: true)
        let report = DeviceReport(
            device: "/dev/a", report: FixReport(mode: 1, at: nil, latitude: nil, longitude: nil))
        #expect(hear(tpv, at: 3) == [.report(.report(report, at: at(3)))])
    }

    @Test("The receivers are passed on when they change, and not when they are equal")
    mutating func countsDevices() {
        _ = session.start(at: at(0))
        _ = session.connected(at: at(0))
        #expect(
            hear(greeting, oneDevice, at: 0) == [.report(.connected(release)), devices, .report(.devices(["/dev/a"]))])
        #expect(hear(oneDevice, at: 1) == [])
        let second = #"{"class":"DEVICE","path":"/dev/b","activated":"2026-11-23T06:29:25.028Z"}"#
        #expect(hear(second, at: 2) == [.report(.devices(["/dev/a", "/dev/b"]))])
        #expect(hear(#"{"class":"DEVICE","path":"/dev/a","activated":0}"#, at: 3) == [.report(.devices(["/dev/b"]))])
        #expect(hear(#"{"class":"DEVICES","devices":[]}"#, at: 4) == [.report(.devices([]))])
    }

    @Test("A new connection passes the receivers on again")
    mutating func countsAgain() {
        open(listening: true)
        _ = session.failed(.closed(reason: ""), at: at(1))
        _ = session.advance(to: at(2))
        _ = session.connected(at: at(2))
        _ = hear(greeting, at: 2)
        #expect(hear(oneDevice, at: 2) == [.report(.devices(["/dev/a"]))])
    }

    @Test("Garbage on the line is reported, and the next line is read")
    mutating func garbage() {
        open(listening: true)
        let actions = session.received([0xFF, 0x00, 0x0A] + Array((tpv + "\n").utf8), at: at(1))
        #expect(actions.count == 2)
        #expect(actions.first == .report(.malformed))
    }

    @Test("A line without an end takes bounded memory, and is reported once")
    mutating func endlessLine() {
        open(listening: true)
        var reported = 0
        for _ in 0..<100 { reported += session.received([UInt8](repeating: 0x20, count: 10_000), at: at(1)).count }
        #expect(reported == 1)
        #expect(session.waiting <= GPSDLines.limit)
    }

    @Test("gpsd's errors are reported")
    mutating func complaints() {
        open(listening: true)
        #expect(hear(#"{"class":"ERROR","message":"no"}"#, at: 1) == [.report(.complaint("no"))])
    }

    // MARK: - Rest

    @Test("The receivers are turned on and off on the same connection")
    mutating func rests() {
        open(listening: true)
        #expect(session.listen(true, at: at(1)) == [])
        #expect(session.listen(false, at: at(2)) == [unwatch])
        #expect(session.listen(true, at: at(3)) == [watch])
    }

    @Test("A report in flight when the receivers were turned off comes too late")
    mutating func late() {
        open(listening: true)
        _ = session.listen(false, at: at(1))
        #expect(hear(tpv, at: 1.01) == [])
    }

    @Test("While the receivers rest, it sends a request every five minutes: gpsd closes connections silent for fifteen")
    mutating func keepsAlive() {
        open(listening: false)
        #expect(session.advance(to: at(299)) == [])
        #expect(session.advance(to: at(300)) == [devices])
        _ = hear(oneDevice, at: 300.1)
        #expect(session.deadline == at(600.1))
    }

    @Test("Receivers that are on and silent for 30 s are asked for again: gpsd does not report an unplugged one")
    mutating func asksAgain() {
        open(listening: true)
        _ = hear(tpv, at: 10)
        #expect(session.advance(to: at(39)) == [])
        #expect(session.advance(to: at(40)) == [watch])
        #expect(hear(oneDevice, at: 40.1) == [])
        #expect(session.deadline == at(70.1))
    }

    @Test("A gpsd that does not answer is given up after 20 s, and retried")
    mutating func stoppedAnswering() {
        open(listening: true)
        _ = session.advance(to: at(30))
        #expect(session.advance(to: at(49)) == [])
        #expect(session.advance(to: at(50)) == [.close, .report(.lost(.stoppedAnswering))])
        #expect(session.advance(to: at(51)) == [.connect])
    }

    // MARK: - The end

    @Test("A stopped session closes its connection and does nothing more")
    mutating func stops() {
        open(listening: true)
        #expect(session.stop() == [.close])
        #expect(session.deadline == .distantFuture)
        #expect(hear(tpv, at: 1) == [])
        #expect(session.failed(.closed(reason: ""), at: at(2)) == [])
    }

    @Test("A real gpsd 3.22's account of a ride is read, in pieces of any size", arguments: [1, 7, 100, 100_000])
    mutating func recorded(size: Int) throws {
        _ = session.listen(true, at: at(0))
        _ = session.start(at: at(0))
        _ = session.connected(at: at(0))
        var actions: [GPSDAction] = []
        var rest = try Recorded.ride()[...]
        while !rest.isEmpty {
            actions += session.received(rest.prefix(size), at: at(1))
            rest = rest.dropFirst(size)
        }
        let reports = actions.filter { if case .report(.report) = $0 { true } else { false } }
        #expect(reports.count == 8)
        #expect(
            actions.filter { !reports.contains($0) } == [
                .report(.connected(release)), watch, .report(.devices([])), .report(.devices(["/dev/pts/1"])),
                .report(.complaint("Unrecognized request '?BOGUS;\n'")),
            ])
    }
}
