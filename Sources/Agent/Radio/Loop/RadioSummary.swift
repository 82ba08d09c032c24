import Core

/// Several adapters as one radio. What one of them hears has been heard.
enum RadioSummary {
    /// The availability that is nearest to scanning.
    static func availability(of all: [RadioAvailability]) -> RadioAvailability? {
        all.max { rank($0) < rank($1) }
    }

    /// Live if any adapter is; otherwise suspect if any is being probed; otherwise blind. Deaf since the last moment at
    /// which any of them heard.
    static func liveness(of all: [RadioLiveness]) -> RadioLiveness? {
        var suspect: Instant?
        var blind: Instant?
        for liveness in all {
            switch liveness {
            case .live: return .live
            case .suspect(let since): suspect = max(suspect ?? since, since)
            case .blind(let since): blind = max(blind ?? since, since)
            }
        }
        if let suspect { return .suspect(since: max(suspect, blind ?? suspect)) }
        return blind.map { .blind(since: $0) }
    }

    private static func rank(_ availability: RadioAvailability) -> Int {
        switch availability {
        case .absent: 0
        case .unauthorized: 1
        case .blocked: 2
        case .off: 3
        case .stalled: 4
        case .scanning: 5
        }
    }
}
