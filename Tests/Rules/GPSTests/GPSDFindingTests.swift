import Testing

@testable import Agent
@testable import Core

@Suite("The report of beacond check on gpsd")
struct GPSDFindingTests {
    private var trial = GPSDTrial(HostPort(host: "127.0.0.1", port: 2947), desiredAccuracy_m: 100)
    private let version = GPSDUpdate.connected(GPSDVersion(release: "3.22", protocolMajor: 3, protocolMinor: 14))

    private func report(mode: Int, accuracy_m: Double = 5) -> GPSDUpdate {
        let report = FixReport(
            mode: mode, at: .unixEpoch, latitude: 52, longitude: 13, horizontalAccuracy_m: accuracy_m)
        return .report(DeviceReport(device: "/dev/ttyACM0", report: report), at: .origin)
    }

    private mutating func finding(_ news: GPSDUpdate...) -> GPSDFinding {
        for new in news { trial.take(new) }
        return trial.finding
    }

    @Test("No gpsd: how to install and start it, and where another one is configured")
    mutating func absent() {
        let finding = finding(.lost(.unreachable(reason: "Connection refused")))
        #expect("\(finding)" == "127.0.0.1:2947: gpsd can't be reached: Connection refused")
        for word in ["apt install gpsd", "systemctl enable --now gpsd.socket", "location.gpsd"] {
            #expect(finding.remedy.contains(word))
        }
        #expect(trial.isOver)
    }

    @Test("A peer that sends nothing")
    mutating func silentPeer() {
        #expect("\(finding())" == "127.0.0.1:2947: gpsd does not say who it is")
    }

    @Test("No receiver: where it is configured, and which access gpsd needs")
    mutating func noDevice() {
        let finding = finding(version, .devices([]))
        #expect("\(finding)" == "gpsd 3.22 at 127.0.0.1:2947 has no receiver")
        for word in ["DEVICES in /etc/default/gpsd", "dialout"] { #expect(finding.remedy.contains(word)) }
        #expect(!trial.isOver)
    }

    @Test("A receiver that sends nothing: cable and speed")
    mutating func silentDevice() {
        let finding = finding(version, .devices(["/dev/ttyS0", "/dev/ttyS1"]))
        #expect("\(finding)" == "/dev/ttyS0, /dev/ttyS1 says nothing")
        #expect(finding.remedy.contains("cable"))
    }

    @Test("No fix: the sky")
    mutating func searching() {
        let finding = finding(version, .devices(["/dev/ttyACM0"]), report(mode: 1))
        #expect("\(finding)" == "/dev/ttyACM0 has no fix")
        #expect(finding.remedy.contains("the sky"))
        #expect(!trial.isOver)
    }

    @Test("An inaccurate fix: wait for a better one")
    mutating func inaccurate() {
        let finding = finding(
            version, .devices(["/dev/ttyACM0"]), report(mode: 2, accuracy_m: 250), report(mode: 2, accuracy_m: 400))
        #expect("\(finding)" == "/dev/ttyACM0 has a fix to 250 m, and 100 m is desired")
        #expect(finding.remedy.contains("location.desired_accuracy_m"))
        #expect(!trial.isOver)
    }

    @Test("A fix: its accuracy, and no action")
    mutating func located() {
        let finding = finding(version, .devices(["/dev/ttyACM0"]), report(mode: 3, accuracy_m: 4.2))
        #expect("\(finding)" == "/dev/ttyACM0 has a fix to 5 m")
        #expect(finding.remedy.isEmpty)
        #expect(trial.isOver)
    }

    @Test("Every failure has a remedy, in one line")
    func remedies() {
        let version = GPSDVersion(release: "2.9", protocolMajor: 2, protocolMinor: 0)
        let failures: [GPSDFailure] = [
            .hostNotFound(reason: "x"), .unreachable(reason: "x"), .machineAtItsLimit(reason: "x"), .silent, .notGPSD,
            .otherProtocol(version), .stoppedAnswering, .closed(reason: ""), .closed(reason: "x"),
        ]
        for failure in failures {
            #expect(!failure.remedy.isEmpty && !failure.remedy.contains("\n"))
            #expect(!"\(failure)".isEmpty)
        }
    }
}
