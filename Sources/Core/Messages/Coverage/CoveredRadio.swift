/// What a span of coverage says of the radio: a word of `status`, or that there was no agent.
package enum CoveredRadio: Hashable, Sendable {
    case live(RadioAvailability)
    /// A capture stands in for it.
    case replay
    /// The agent was not running.
    case stopped

    /// The word of `coverage.radio`.
    var word: String {
        switch self {
        case .live(let availability): availability.rawValue
        case .replay: "replay"
        case .stopped: "stopped"
        }
    }

    package init?(word: String) {
        switch word {
        case CoveredRadio.replay.word: self = .replay
        case CoveredRadio.stopped.word: self = .stopped
        default:
            guard let availability = RadioAvailability(rawValue: word) else { return nil }
            self = .live(availability)
        }
    }

    /// Whether it can hear.
    var hears: Bool { self == .replay || self == .live(.scanning) }
}
