import Core
import Glibc
import Logging

/// The body of the radio loop's thread where a receiver is the radio.
///
/// The owner's time follows the receiver: it goes on as far as the receiver's batches are known to reach.
final class ReceiverRunner<Owner: RadioOwner> {
    private static var countInterval: TimeSpan { .seconds(1) }

    private(set) var owner: Owner
    private let settings: ReceiverSettings
    private let inbox: ReceiverInbox
    private let bell: Doorbell
    private let wall: @Sendable (Instant) -> WallTime?
    private let logger: Logger
    private var stream: ReceiverStream
    private var liveness: RadioLiveness?
    private var availability: RadioAvailability?
    private var ownerWait = EngineWait(due: .origin)
    private var nextCount: Instant
    private var counters = RadioCounters()
    private var latest: Instant = .origin
    private var loggedRefusals = LogOnce<ReceiverRefusal.Reason>()
    private var senders = ReceiverSenders()
    private var loggedSenders = LogOnce<String>()
    private var isReliable = true

    /// - Parameters:
    ///   - wall: the time of day at a recent instant; `nil` while the machine's clock is not set.
    ///   - now: the time since which the receiver is listened to.
    init(
        _ settings: ReceiverSettings, _ inbox: ReceiverInbox, owner: Owner, bell: Doorbell,
        wall: @escaping @Sendable (Instant) -> WallTime?, logger: Logger, at now: Instant = SystemClock.now
    ) {
        self.owner = owner
        self.settings = settings
        self.inbox = inbox
        self.bell = bell
        self.wall = wall
        self.logger = logger
        stream = ReceiverStream(at: now)
        nextCount = now + Self.countInterval
        counters.receiver = RadioCounters.Receiver()
    }

    func run(until isStopping: () -> Bool) {
        // Before the availability, so that the first health has the receiver's figures.
        owner.counted(counters, at: forward(to: SystemClock.now))
        announce(at: latest)
        while !isStopping() {
            wait()
            turn(at: SystemClock.now)
        }
        let end = forward(to: SystemClock.now)
        owner.counted(counters, at: end)
        owner.stopped(at: end)
    }

    private func wait() {
        let now = SystemClock.now
        // The owner's time is behind by a constant while messages come.
        let behind = now - stream.horizon(at: now)
        let deadline = min(ownerWait.due + behind, nextCount, stream.nextDeadline)
        var polled = [inbox.wake, bell.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let timeout_ms = deadline > now ? Int32(clamping: ((deadline - now).microseconds + 999) / 1_000) : 0
        _ = poll(&polled, nfds_t(polled.count), timeout_ms)
        if polled[1].revents != 0 { bell.answer() }
    }

    /// Does all pending work, without waiting.
    func turn(at now: Instant) {
        let (messages, dropped) = inbox.takeAll()
        counters.dropped = dropped
        for message in messages {
            hand(stream.advance(to: message.arrival))
            receive(message)
        }
        hand(stream.advance(to: now))
        let horizon = forward(to: stream.horizon(at: now))
        stream.passed(horizon)
        announce(at: horizon)
        ownerWait = owner.tick(at: horizon)
        if now >= nextCount {
            nextCount = now + Self.countInterval
            counters.receiver?.period = stream.period
            owner.counted(counters, at: horizon)
            warnOfPeriod()
        }
    }

    private func receive(_ message: ReceiverInbox.Message) {
        let content: ReceiverMessage
        do throws(ReceiverRefusal) {
            content = try settings.format.read(message.payload)
        } catch {
            refuse(error, message)
            return
        }
        if let fault = content.fault { refuse(fault, message) }
        if !content.packets.isEmpty, let topics = senders.take(message.topic, at: message.arrival),
            loggedSenders.isNew(topics.second)
        {
            logger.warning("receiver: \(ReceiverSenders.warning(topics.first, topics.second))")
        }
        hand(stream.receive(content, at: message.arrival, wall: wall(message.arrival)))
    }

    /// Hands the packets of a message that counts to the owner.
    private func hand(_ heard: [ReceiverStream.Heard]?) {
        guard let heard else { return }
        announce(at: forward(to: heard.first?.at ?? latest))
        // Nothing was heard before the first packet, so exits that are due come before its entry.
        owner.radioProved(at: latest)
        ownerWait = owner.tick(at: latest)
        for entry in heard {
            let instant = forward(to: entry.at)
            if instant >= ownerWait.due { ownerWait = owner.tick(at: instant) }
            counters.packets &+= 1
            owner.packet(entry.packet.event.span, from: 0, at: instant)
        }
        owner.radioProved(at: latest)
    }

    /// Counts a message that can't be read, or not wholly.
    private func refuse(_ refusal: ReceiverRefusal, _ message: ReceiverInbox.Message) {
        counters.receiver?.malformed += 1
        guard loggedRefusals.isNew(refusal.reason) else { return }
        logger.warning("receiver: \(message.topic): \(refusal)\(settings.format.hint(of: message.payload ?? []))")
    }

    private func announce(at instant: Instant) {
        if stream.liveness != liveness {
            liveness = stream.liveness
            owner.livenessChanged(to: stream.liveness, at: instant)
        }
        if stream.availability != availability {
            availability = stream.availability
            if stream.availability == .scanning {
                logger.notice("receiver: messages of format \(settings.format.rawValue) come on \(settings.topic)")
            }
            owner.availabilityChanged(to: stream.availability, at: instant)
        }
    }

    private func warnOfPeriod() {
        let warning = stream.warning
        if let warning, isReliable { logger.warning("receiver: \(warning)") }
        isReliable = warning == nil
    }

    private func forward(to instant: Instant) -> Instant {
        latest = max(latest, instant)
        return latest
    }
}
