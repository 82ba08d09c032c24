public import Configuration
import Glibc
import HCI

/// Broadcasts an advertisement from one adapter until it is stopped.
public final class Advertiser {
    /// The adapter that advertises.
    public let adapter: Adapter
    private let advertisement: Advertisement
    private let socket: ScanSocket
    private let family: CommandFamily

    /// Switches advertising on, waiting at most 2 s for each of the commands.
    public init(_ advertisement: Advertisement, on wanted: RadioSettings.Adapter) throws(AdvertisingError) {
        let adapter: Adapter
        switch AdapterSurvey.current().choose(wanted) {
        case .usable(let usable): adapter = usable
        case .obstacle(let obstacle, _): throw .unavailable(obstacle)
        }
        do throws(RadioError) {
            socket = try ScanSocket(index: adapter.index)
        } catch {
            throw .failed(error)
        }
        self.adapter = adapter
        self.advertisement = advertisement
        family = try Self.start(advertisement, on: socket)
    }

    /// Switches advertising off.
    public func stop() throws(AdvertisingError) {
        guard let packet = advertisement.disablePacket(family) else { return }
        do throws(RadioError) {
            try socket.send(packet)
        } catch {
            throw .failed(error)
        }
    }

    private static func start(
        _ advertisement: Advertisement, on socket: ScanSocket
    ) throws(AdvertisingError) -> CommandFamily {
        var procedure = AdvertisingProcedure()
        while true {
            let (outcome, features) = try answer(to: procedure.step, of: advertisement, on: socket)
            switch procedure.answered(outcome.status ?? .unspecifiedError, features: features) {
            case .next: continue
            case .advertising(let family): return family
            case .refused(let opcode, let status): throw .refused(opcode, status)
            }
        }
    }

    private static func answer(
        to step: AdvertisingProcedure.Step, of advertisement: Advertisement, on socket: ScanSocket
    ) throws(AdvertisingError) -> (CommandOutcome, LEFeatures?) {
        guard let packet = advertisement.packet(for: step) else { throw .refused(step.opcode, .invalidParameters) }
        var answer: (CommandOutcome, LEFeatures?)?
        let deadline = MonotonicClock.now + ScanController.commandTimeout
        do throws(RadioError) {
            try socket.send(packet)
            while answer == nil {
                let left = deadline - MonotonicClock.now
                guard left > .zero else { throw RadioError("poll", code: ETIMEDOUT) }
                var polled = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&polled, 1, Int32(clamping: left.microseconds / 1_000 + 1)) > 0 else { continue }
                try socket.drain(limit: 64) { packet, _ in
                    guard case .outcome(let outcome, let features) = RadioPacket(packet), outcome.opcode == step.opcode
                    else { return true }
                    answer = (outcome, features)
                    return false
                }
            }
        } catch {
            throw error.code == ETIMEDOUT ? .unanswered(step.opcode) : .failed(error)
        }
        guard let answer else { throw .unanswered(step.opcode) }
        return answer
    }
}
