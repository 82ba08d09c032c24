import Agent
import Core

/// The finding about a receiver whose messages were heard for some seconds.
struct ReceiverFinding {
    /// The packets among which one of another device is expected where the receiver has no filter.
    static let leastPackets = 20

    private(set) var line: String
    /// Empty where all is well.
    private(set) var remedy = ""
    private(set) var warnings: [String] = []

    init(_ receiver: ReceiverSettings, _ heard: [(message: IncomingMessage, at: Instant)]) {
        let live = heard.filter { !$0.message.isRetained }
        guard let first = live.first else {
            line = heard.isEmpty ? "no message" : "no message but one that the broker had kept"
            remedy = RadioCondition(.absent, receiver: receiver.topic).remedy
            return
        }
        var counts = Counts(receiver.format, at: first.at)
        for (message, at) in live { counts.take(message, at: at) }
        let period = counts.stream.likelyPeriod
        let every = period.map { ", every \(($0.seconds * 10).rounded() / 10) s" } ?? ""
        line = "messages: \(live.count), packets: \(counts.packets)\(every)"
        guard counts.packets > 0 else {
            addNoPacket(counts)
            return
        }
        addWarnings(counts)
        if ReceiverStream.isTooLong(period) || live.count == 1 {
            remedy = RadioCondition(.unusable, receiver: receiver.topic).remedy
        } else if let slow = ReceiverStream.warning(period) {
            warnings.append(slow)
        }
    }

    private mutating func addNoPacket(_ counts: Counts) {
        if let other = counts.other {
            remedy = "these are messages of another layout: set receiver.format to \"\(other.format.rawValue)\""
        } else if let refusal = counts.refusal {
            remedy = "\(refusal)"
        } else {
            let remedy =
                counts.format == .shelly
                ? "start Home Assistant's Bluetooth script on the device" : "let it publish raw advertising data"
            warnings.append("no packet has come: hold a beacon near the receiver, and \(remedy)")
        }
    }

    private mutating func addWarnings(_ counts: Counts) {
        if let refusal = counts.refusal {
            let hint = counts.other.map {
                "\($0.topic) has the layout \($0.format.rawValue): set receiver.topic to the topics of one receiver"
            }
            warnings.append(
                "messages that format \(counts.format.rawValue) can't read, or not wholly: \(counts.refused): "
                    + (hint ?? "\(refusal)"))
        }
        if let senders = counts.twoSenders { warnings.append(senders) }
        if counts.beacons == counts.packets, counts.packets >= Self.leastPackets {
            warnings.append(
                "each of the \(counts.packets) packets is an iBeacon's: if the receiver has a filter, remove it; "
                    + "else the receiver is stalled while no beacon is near, and visits become one")
        }
    }
}

/// The messages of some seconds.
private struct Counts {
    let format: ReceiverFormat
    private(set) var stream: ReceiverStream
    private(set) var packets = 0
    private(set) var beacons = 0
    private(set) var refused = 0
    /// The latest cause why a message could not be read, or not wholly.
    private(set) var refusal: ReceiverRefusal?
    /// Another format that reads a message, and the message's topic.
    private(set) var other: (format: ReceiverFormat, topic: String)?
    /// The warning of two receivers on the configured topics.
    private(set) var twoSenders: String?
    private var senders = ReceiverSenders()

    init(_ format: ReceiverFormat, at first: Instant) {
        self.format = format
        stream = ReceiverStream(at: first)
    }

    mutating func take(_ message: IncomingMessage, at now: Instant) {
        var isRead = false
        do throws(ReceiverRefusal) {
            let content = try format.read(message.payload.octets)
            isRead = !content.packets.isEmpty && content.fault == nil
            packets += content.packets.count
            beacons += content.packets.count(where: \.isIBeacon)
            _ = stream.receive(content, at: now, wall: nil)
            if !content.packets.isEmpty, let topics = senders.take(message.topic, at: now) {
                twoSenders = ReceiverSenders.warning(topics.first, topics.second)
            }
            if let fault = content.fault { throw fault }
        } catch {
            (refused, refusal) = (refused + 1, error)
        }
        guard !isRead, other == nil, let octets = message.payload.octets else { return }
        other = format.other(thatReads: octets).map { ($0, message.topic) }
    }
}
