public import HCI

extension MessageComposer {
    /// What `status` says of the radio: an availability, or that a capture stands in for it.
    public enum RadioStatus: Hashable, Sendable {
        case live(RadioCondition)
        case replay

        /// The word of `status.radio`.
        public var word: String {
            switch self {
            case .live(let condition): condition.availability.rawValue
            case .replay: "replay"
            }
        }

        var remedy: String {
            switch self {
            case .live(let condition): condition.remedy
            case .replay: ""
            }
        }
    }

    /// `status`: birth, will and everything between.
    public func status(
        isOnline: Bool, epoch: String, radio: RadioStatus, at instant: Instant, _ timebase: Timebase
    ) -> Message {
        var json = payload(at: instant, timebase)
        json.set("state", isOnline ? "online" : "offline")
        json.set("version", version)
        json.set("epoch", epoch)
        json.set("radio", radio.word)
        json.set("remedy", radio.remedy)
        return Message(topic: topics.status, payload: json.object, qos: .atLeastOnce, isRetained: true)
    }
}
