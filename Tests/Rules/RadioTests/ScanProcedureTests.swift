import Testing

@testable import Agent
@testable import Core

@Suite("The commands up to scanning")
struct ScanProcedureTests {
    /// Answers each step with a status, and returns the effect of each answer.
    private func run(
        _ purpose: ScanProcedure.Purpose = .start, features: LEFeatures = .extendedAdvertising,
        answering statuses: [HCIStatus]
    ) -> [ScanProcedure.Progress] {
        var procedure = ScanProcedure(purpose, family: nil)
        return statuses.map { procedure.answered($0, features: procedure.step == .readFeatures ? features : nil) }
    }

    @Test("A controller that claims extended scanning without knowing its commands is scanned with the legacy ones")
    func unknownCommand() {
        #expect(
            run(answering: [.success, .unknownCommand, .success, .success]) == [
                .next(.setParameters(.extended)), .next(.setParameters(.legacy)), .next(.enable(.legacy)),
                .scanning(.legacy, isOurs: true),
            ])
        #expect(
            run(answering: [.success, .success, .unknownCommand, .success, .success]).last
                == .scanning(.legacy, isOurs: true))
    }

    @Test("Disallowed because the other family is in use: that one is used")
    func otherFamilyInUse() {
        #expect(
            run(features: [], answering: [.success, .commandDisallowed, .commandDisallowed, .success, .success]) == [
                .next(.setParameters(.legacy)), .next(.enable(.legacy)), .next(.setParameters(.extended)),
                .next(.enable(.extended)), .scanning(.extended, isOurs: true),
            ])
    }

    @Test("Disallowed because another process scans: its scan is used, unfiltered, and left on at the end")
    func otherProcessScans() {
        #expect(
            run(features: [], answering: [.success, .commandDisallowed, .success]).last
                == .scanning(.legacy, isOurs: false))
    }

    @Test("If everything is disallowed, another process scans, unless the agent has switched scanning off before")
    func everythingDisallowed() {
        let refusals = Array(repeating: HCIStatus.commandDisallowed, count: 4)
        #expect(run(features: [], answering: [.success] + refusals).last == .scanning(.extended, isOurs: false))
        #expect(
            run(.probe, features: [], answering: [.success, .success] + refusals).last
                == .refused(Opcode.scanEnable(.extended), .commandDisallowed))
    }

    @Test("Each family is tried once")
    func bothRefused() {
        #expect(
            run(answering: [.success, .unknownCommand, .unknownCommand]).last
                == .refused(Opcode.scanParameters(.legacy), .unknownCommand))
    }

    @Test("A family that worked before is used without asking")
    func knownFamily() {
        var procedure = ScanProcedure(.start, family: .legacy)
        #expect(procedure.answered(.success, features: .extendedAdvertising) == .next(.setParameters(.legacy)))
    }

    @Test("Turning a duplicate filter off is one command, and does not make the scan the agent's own")
    func refilter() {
        var procedure = ScanProcedure(.refilter, family: .extended)
        #expect(procedure.step == .enable(.extended))
        #expect(procedure.answered(.success, features: nil) == .scanning(.extended, isOurs: false))
    }

    @Test("Duplicates are never filtered, and the timing of the settings is used")
    func packets() {
        let timing = ScanTiming(interval_ms: 60, window_ms: 30)
        #expect(
            ScanStep.setParameters(.legacy).packet(type: .passive, timing: timing)
                == [0x01, 0x0B, 0x20, 0x07, 0x00, 0x60, 0x00, 0x30, 0x00, 0x00, 0x00])
        #expect(
            ScanStep.enable(.legacy).packet(type: .passive, timing: timing) == [0x01, 0x0C, 0x20, 0x02, 0x01, 0x00])
        #expect(
            ScanStep.setParameters(.extended).packet(type: .active, timing: timing)
                == [0x01, 0x41, 0x20, 0x08, 0x00, 0x00, 0x01, 0x01, 0x60, 0x00, 0x30, 0x00])
        #expect(
            ScanStep.enable(.extended).packet(type: .active, timing: timing)
                == [0x01, 0x42, 0x20, 0x06, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00])
    }
}
