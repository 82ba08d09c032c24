import Agent
import Core

/// The finding about a receiver whose messages were heard for some seconds.
struct ReceiverFinding {
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
        var stream = ReceiverStream(at: first.at)
        var senders = ReceiverSenders()
        var (packets, refused) = (0, 0)
        var (refusal, other, second): (ReceiverRefusal?, ReceiverFormat?, String?) = (nil, nil, nil)
        for (message, at) in live {
            // A payload that is too long is as good as none: the format refuses both.
            let octets: [UInt8] = if case .bytes(let octets) = message.payload { octets } else { [] }
            var fault: ReceiverRefusal?
            do throws(ReceiverRefusal) {
                let content = try receiver.format.read(octets)
                packets += content.packets.count
                fault = content.fault
                _ = stream.receive(content, at: at, wall: nil)
                if !content.packets.isEmpty, let topics = senders.take(message.topic, at: at) {
                    second = ReceiverSenders.warning(topics.first, topics.second)
                }
            } catch {
                fault = error
            }
            guard fault != nil || packets == 0 else { continue }
            other = other ?? receiver.format.other(thatReads: octets)
            if let fault { (refused, refusal) = (refused + 1, fault) }
        }
        let period = stream.likelyPeriod
        let every = period.map { ", every \(($0.seconds * 10).rounded() / 10) s" } ?? ""
        line = "messages: \(live.count), packets: \(packets)\(every)"
        let hint = other.map { "these are messages of another layout: set receiver.format to \"\($0.rawValue)\"" }
        if let refusal, packets > 0 {
            let word = receiver.format.rawValue
            warnings.append(
                "messages that format \(word) can't read, or not wholly: \(refused): \(hint ?? "\(refusal)")")
        }
        if let second { warnings.append(second) }
        if packets == 0, let problem = hint ?? refusal.map({ "\($0)" }) {
            remedy = problem
        } else if packets == 0 {
            warnings.append(
                "no packet has come: hold a beacon near the receiver, and let it publish raw advertising data")
        } else if ReceiverStream.isTooLong(period) || live.count == 1 {
            remedy = RadioCondition(.unusable, receiver: receiver.topic).remedy
        } else if let slow = ReceiverStream.warning(period) {
            warnings.append(slow)
        }
    }
}
