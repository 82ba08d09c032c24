@testable import Agent
@testable import Core

/// Feeds the octets of a connection to gpsd. The first octet says whether the greeting comes and whether the receivers
/// should be on. It also gives the size of the following pieces; a second passes between two of them.
func feedGPSD(_ octets: [UInt8]) {
    let choice = octets.first ?? 0
    var world = GPSDWorld(isListening: choice & 1 != 0)
    if choice & 2 != 0 { world.receive(Array(GPSDWorld.greeting.utf8)[...]) }
    let size = [1, 16, 256, 4_096][Int(choice >> 2) % 4]
    var rest = octets.dropFirst()
    while !rest.isEmpty {
        world.receive(rest.prefix(size))
        rest = rest.dropFirst(size)
    }
}

/// A session, with the gateway's handling of its reports.
private struct GPSDWorld {
    static let greeting = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\n"

    private var session = GPSDSession()
    private var choice = ReceiverChoice(maxAge: .seconds(15))
    private var intake = FixIntake(desiredAccuracy_m: 100, maxAge: .seconds(15))
    private var now = Instant.origin + .seconds(1)
    private var isConnected = false

    init(isListening: Bool) {
        require(session.listen(isListening, at: now).isEmpty, "nothing is asked without a connection")
        require(session.start(at: now) == [.connect], "it begins by connecting")
        carryOut(session.connected(at: now))
        isConnected = true
    }

    mutating func receive(_ octets: ArraySlice<UInt8>) {
        carryOut(session.received(octets, at: now))
        require(session.waiting <= GPSDLines.limit, "what waits for its end is bounded")
        now += .seconds(1)
        let deadline = session.deadline
        carryOut(session.advance(to: now))
        require(session.deadline > now || deadline > now, "what was due is done")
    }

    private mutating func carryOut(_ actions: [GPSDAction]) {
        for action in actions {
            switch action {
            case .connect:
                carryOut(session.connected(at: now))
                isConnected = true
            case .send(let request):
                require(isConnected, "only gpsd is asked")
                require(request.last == UInt8(ascii: "\n") && request.count < 64, "a request is a short line")
            case .close: isConnected = false
            case .report(let news): take(news)
            }
        }
    }

    private mutating func take(_ news: GPSDUpdate) {
        switch news {
        case .connected(let version):
            require(version.protocolMajor == GPSDVersion.major, "another protocol is refused")
        case .devices(let paths): require(paths.count <= GPSDMessage.maxDevices, "receivers are bounded")
        case .report(let report, let at):
            require(at == now && session.isListening, "a report is of this moment, and wanted")
            require(report.device.count <= GPSDMessage.maxText, "names are bounded")
            guard choice.take(report, at: at) else { return }
            guard let fix = try? intake.take(report.report, at: at, clock: nil) else { return }
            require(fix.horizontalAccuracy_m > 0 && fix.horizontalAccuracy_m <= 100, "what is used is good enough")
        case .malformed: intake.countMalformed()
        case .complaint(let text): require(text.count <= GPSDMessage.maxText, "texts are bounded")
        case .lost(let failure): require(!failure.remedy.isEmpty, "a failure has a remedy")
        }
    }
}
