import Testing

@testable import Agent
@testable import Core

@Suite("Keeping an adapter scanning")
struct ScanControllerTests {
    private func at(_ seconds: Double) -> Instant { .origin + .seconds(seconds) }

    /// Returns a controller that scans with the legacy commands since second 0.
    private func scanning() -> ScanController {
        var controller = ScanController.opened(mayAdminister: false)
        for step in [ScanStep.readFeatures, .setParameters(.legacy), .enable(.legacy)] {
            _ = controller.answer(step, features: [], at: 0)
        }
        return controller
    }

    @Test("Start looks for an adapter, opens it, asks for its features, and scans with the legacy commands")
    func legacyStart() {
        var controller = ScanController(mayAdminister: false)
        #expect(controller.start(at: at(1)) == [.report(.liveness(.blind(since: at(1)))), .look])
        #expect(controller.surveyed(.usable(.hci0), at: at(1)) == [.open(.hci0)])
        #expect(controller.opened(at: at(1)) == [.send(.readFeatures)])
        #expect(controller.answer(.readFeatures, features: [], at: 1) == [.send(.setParameters(.legacy))])
        #expect(controller.answer(.setParameters(.legacy), at: 1) == [.send(.enable(.legacy))])
        #expect(
            controller.answer(.enable(.legacy), at: 2)
                == [.report(.availability(.scanning)), .report(.liveness(.live)), .report(.proof)])
    }

    @Test("The LE feature bit chooses the extended commands")
    func extendedStart() {
        var controller = ScanController.opened(mayAdminister: false)
        #expect(
            controller.answer(.readFeatures, features: .extendedAdvertising, at: 0)
                == [.send(.setParameters(.extended))])
        #expect(controller.answer(.setParameters(.extended), at: 0) == [.send(.enable(.extended))])
    }

    @Test("An answer to another command does not advance the sequence")
    func foreignAnswer() {
        var controller = ScanController.opened(mayAdminister: false)
        #expect(controller.answer(.enable(.legacy), at: 0).isEmpty)
    }

    @Test("Without an adapter the reason is announced once, and the controller looks for one every second")
    func noAdapter() {
        var controller = ScanController(mayAdminister: false)
        _ = controller.start(at: at(0))
        #expect(controller.surveyed(.obstacle(.absent, nil), at: at(0)) == [.report(.availability(.absent))])
        #expect(controller.nextDeadline == at(1))
        #expect(controller.tick(at: at(0.5)).isEmpty)
        #expect(controller.tick(at: at(1)) == [.look])
        #expect(controller.surveyed(.obstacle(.absent, nil), at: at(1)).isEmpty)
        #expect(controller.surveyed(.obstacle(.off, .hci0), at: at(2)) == [.report(.availability(.off))])
    }

    @Test("The kernel's news of a change causes a look at once")
    func looksAtOnce() {
        var controller = ScanController(mayAdminister: false)
        _ = controller.start(at: at(0))
        _ = controller.surveyed(.obstacle(.off, .hci0), at: at(0))
        #expect(controller.deviceChanged(DeviceEvent(change: .up, index: 0), at: at(0.1)) == [.look])
    }

    @Test("An adapter that cannot be opened is retried after a second, not at once")
    func failedOpen() {
        var controller = ScanController(mayAdminister: false)
        _ = controller.start(at: at(0))
        _ = controller.surveyed(.usable(.hci0), at: at(0))
        #expect(controller.socketFailed(.unauthorized, at: at(0)) == [.close, .report(.availability(.unauthorized))])
        #expect(controller.nextDeadline == at(1))
    }

    @Test("Unplugged, the radio is blind since the last report, and it scans again when the adapter is back")
    func unplugged() {
        var controller = scanning()
        #expect(controller.reportReceived(at: at(3)).isEmpty)
        #expect(
            controller.socketFailed(.absent, at: at(4))
                == [.close, .report(.liveness(.blind(since: at(3)))), .report(.availability(.absent))])
        #expect(controller.tick(at: at(5)) == [.look])
        #expect(controller.surveyed(.usable(.hci0), at: at(5)) == [.open(.hci0)])
    }

    @Test("Powered down by another process, it is closed and looked for at once")
    func poweredDown() {
        var controller = scanning()
        #expect(controller.deviceChanged(DeviceEvent(change: .down, index: 1), at: at(1)).isEmpty, "Another adapter's.")
        #expect(
            controller.deviceChanged(DeviceEvent(change: .down, index: 0), at: at(1))
                == [.close, .report(.liveness(.blind(since: at(0)))), .look])
    }

    @Test("Powered up by another process, it is set up again")
    func poweredUp() {
        var controller = scanning()
        #expect(controller.deviceChanged(DeviceEvent(change: .up, index: 0), at: at(1)) == [.send(.readFeatures)])
    }

    @Test("A command without an answer within 2 s means stalled, and the controller is asked again")
    func unanswered() {
        var controller = ScanController.opened(mayAdminister: false)
        #expect(controller.nextDeadline == at(2))
        #expect(controller.tick(at: at(1.9)).isEmpty)
        #expect(
            controller.tick(at: at(2)) == [
                .report(.trouble(.unanswered(ScanStep.readFeatures.opcode))), .report(.availability(.stalled)),
            ])
        #expect(controller.nextDeadline == at(4))
        #expect(controller.tick(at: at(4)) == [.report(.recovery(.reenable, .hci0)), .send(.readFeatures)])
    }

    @Test("Silence causes a probe: a command, then scanning off and on; an answer proves quiet air")
    func probe() {
        var controller = scanning()
        #expect(controller.tick(at: at(2.5)) == [.send(.readFeatures)])
        let steps: [ScanStep] = [.readFeatures, .disable(.legacy), .setParameters(.legacy)]
        let next: [ScanStep] = [.disable(.legacy), .setParameters(.legacy), .enable(.legacy)]
        for (step, next) in zip(steps, next) {
            #expect(controller.answer(step, at: 2.5) == [.send(next)])
        }
        #expect(controller.answer(.enable(.legacy), at: 2.5) == [.report(.proof)])
        #expect(controller.nextDeadline == at(32.5))
    }

    @Test("A controller with a slow probe is suspect after 5 s of silence, until the probe ends")
    func slowProbe() {
        var controller = scanning()
        _ = controller.tick(at: at(2.5))
        _ = controller.answer(.readFeatures, at: 4.4)
        #expect(controller.nextDeadline == at(5))
        #expect(controller.tick(at: at(5)) == [.report(.liveness(.suspect(since: at(0))))])
        #expect(controller.nextDeadline == at(6.4))
        _ = controller.answer(.disable(.legacy), at: 5.5)
        _ = controller.answer(.setParameters(.legacy), at: 5.6)
        #expect(controller.answer(.enable(.legacy), at: 5.7) == [.report(.liveness(.live)), .report(.proof)])
    }

    @Test("A request for proof causes a probe at once, but not twice, nor while other processes configure it")
    func prove() {
        var controller = scanning()
        controller.foreignCommandSeen(.scanParameters, at: at(1))
        #expect(controller.prove(at: at(1.1)).isEmpty)
        _ = controller.tick(at: at(1.2))
        #expect(controller.prove(at: at(1.2)) == [.send(.readFeatures)])
        #expect(controller.prove(at: at(1.3)).isEmpty)
    }

    @Test("A probe without an answer means blind and stalled until the controller answers anything")
    func blind() {
        var controller = scanning()
        _ = controller.tick(at: at(2.5))
        #expect(
            controller.tick(at: at(4.5))
                == [
                    .report(.trouble(.unanswered(ScanStep.readFeatures.opcode))), .report(.availability(.stalled)),
                    .report(.liveness(.blind(since: at(0)))),
                ])
        // The answer comes late: the controller lives, and is probed at once instead of at the next attempt.
        #expect(controller.answer(.readFeatures, at: 5) == [.send(.readFeatures)])
    }

    @Test("A report ends the blindness of a controller that takes no commands")
    func reportEndsBlindness() {
        var controller = scanning()
        _ = controller.tick(at: at(5))
        _ = controller.tick(at: at(7))
        #expect(controller.reportReceived(at: at(8)) == [.report(.availability(.scanning)), .report(.liveness(.live))])
    }

    @Test("A controller that refuses to scan is stalled, and the refused command is reported")
    func refused() {
        var controller = ScanController.opened(mayAdminister: false)
        _ = controller.answer(.readFeatures, features: [], at: 0)
        _ = controller.answer(.setParameters(.legacy), .unspecifiedError, at: 0)
        #expect(
            controller.answer(.setParameters(.extended), .unknownCommand, at: 0)
                == [
                    .report(.trouble(.refused(Opcode.scanParameters(.extended), .unknownCommand))),
                    .report(.availability(.stalled)),
                ])
    }

    @Test("Scanning that another process switched off is started again once the others have finished")
    func foreignStop() {
        var controller = scanning()
        _ = controller.reportReceived(at: at(1))
        controller.foreignCommandSeen(.scanEnable(false, filtersDuplicates: false, .legacy), at: at(1))
        controller.foreignCommandSeen(.scanParameters, at: at(1.1))
        #expect(controller.tick(at: at(1.2)).isEmpty)
        #expect(controller.nextDeadline == at(1.3))
        #expect(controller.tick(at: at(1.3)) == [.report(.trouble(.stoppedByOther)), .send(.readFeatures)])
    }

    @Test("A scan of another process is left alone, but its duplicate filter is switched off")
    func foreignStart() {
        var controller = scanning()
        controller.foreignCommandSeen(.scanEnable(true, filtersDuplicates: true, .legacy), at: at(1))
        #expect(controller.tick(at: at(1.2)) == [.send(.enable(.legacy))])
        _ = controller.answer(.enable(.legacy), at: 1.2)
        controller.foreignCommandSeen(.scanEnable(true, filtersDuplicates: false, .legacy), at: at(2))
        #expect(controller.tick(at: at(2.2)).isEmpty)
        #expect(controller.stop(at: at(9)) == [.close], "The other's scan goes on.")
    }

    @Test("Changes by other processes during the set-up are handled afterwards")
    func foreignDuringStart() {
        var controller = ScanController.opened(mayAdminister: false)
        controller.foreignCommandSeen(.reset, at: at(0))
        for step in [ScanStep.readFeatures, .setParameters(.legacy), .enable(.legacy)] {
            _ = controller.answer(step, features: [], at: 0.1)
        }
        #expect(controller.tick(at: at(0.2)) == [.report(.trouble(.stoppedByOther)), .send(.readFeatures)])
    }

    @Test("A hardware error is logged, and scanning is set up again after the kernel's reset")
    func hardwareError() {
        var controller = scanning()
        #expect(controller.hardwareErrorSeen(code: 7, at: at(1)) == [.report(.trouble(.hardwareError(code: 7)))])
        #expect(controller.tick(at: at(1.2)).contains(.send(.readFeatures)))
    }

    @Test("Stop switches off the agent's own scan, and closes")
    func stop() {
        var controller = scanning()
        #expect(controller.stop(at: at(9)) == [.send(.disable(.legacy)), .close])
        #expect(controller.nextDeadline == .distantFuture)
        #expect(controller.reportReceived(at: at(9)).isEmpty)
    }

    @Test("Stop while enabling takes it back")
    func stopWhileEnabling() {
        var controller = ScanController.opened(mayAdminister: false)
        _ = controller.answer(.readFeatures, features: [], at: 0)
        _ = controller.answer(.setParameters(.legacy), at: 0)
        #expect(controller.stop(at: at(9)) == [.send(.disable(.legacy)), .close])
    }
}

extension Adapter {
    static let hci0 = Adapter(
        index: 0, address: DeviceAddress(bits: 0x1122_3344_5566, type: .public), isUp: true, isBlocked: false)
}

extension ScanController {
    /// Returns a controller that has opened its adapter and asked for its features, at second 0.
    static func opened(mayAdminister: Bool) -> ScanController {
        var controller = ScanController(mayAdminister: mayAdminister)
        _ = controller.start(at: .origin)
        _ = controller.surveyed(.usable(.hci0), at: .origin)
        _ = controller.opened(at: .origin)
        return controller
    }

    /// The adapter answers a command.
    mutating func answer(
        _ step: ScanStep, _ status: HCIStatus = .success, features: LEFeatures? = nil, at seconds: Double
    ) -> [Action] {
        commandCompleted(
            CommandOutcome(commandCredits: 1, opcode: step.opcode, status: status), features: features,
            at: .origin + .seconds(seconds))
    }
}
