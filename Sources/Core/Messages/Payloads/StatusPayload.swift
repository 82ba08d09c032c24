/// `status`: birth, will and everything between.
package struct StatusPayload: Payload, Hashable {
    package var head: PayloadHead
    var isOnline: Bool
    /// Of the agent.
    package var version: String
    package var epoch: String
    /// Never `stopped`: of an agent that does not run, the broker says that it is offline.
    package var radio: CoveredRadio
    /// What an installer can do about the radio; empty where nothing needs to be done.
    var remedy: String
    /// `nil` where the configuration says nothing of the place.
    package var location: LocationStatus?

    private enum State: String, CaseIterable {
        case online
        case offline
    }
}

extension StatusPayload {
    package init(_ head: PayloadHead, _ fields: inout PayloadFields) throws(PayloadError) {
        self.init(
            head: head, isOnline: try fields.word("state") as State == .online, version: try fields.text("version"),
            epoch: try fields.epoch(), radio: try fields.radio(), remedy: try fields.text("remedy"),
            location: try fields.objectIfPresent("location") { fields throws(PayloadError) in
                LocationStatus(
                    availability: try fields.word("availability"), isPaused: try fields.boolean("paused"))
            })
        if radio == .stopped { throw PayloadError("radio", .mustBeOneOf("what a radio does while the agent runs")) }
    }

    package func write(to json: inout JSONWriter) {
        json.set("state", (isOnline ? State.online : .offline).rawValue)
        json.set("version", version)
        json.set("epoch", epoch)
        json.set("radio", radio.word)
        json.set("remedy", remedy)
        guard let location else { return }
        json.set("location") { json in
            json.set("availability", location.availability.rawValue)
            json.set("paused", location.isPaused)
        }
    }
}

extension MessageComposer {
    /// What `status` says of the radio: an availability, or that a capture stands in for it.
    package enum RadioStatus: Hashable, Sendable {
        case live(RadioCondition)
        case replay
        /// A store, which hears while any of its gateways does.
        case store(isHearing: Bool)

        /// The word of `status.radio`.
        package var word: String { covered.word }

        package var covered: CoveredRadio {
            switch self {
            case .live(let condition): .live(condition.availability)
            case .replay: .replay
            case .store(let isHearing): .live(isHearing ? .scanning : .absent)
            }
        }

        var remedy: String {
            switch self {
            case .live(let condition): condition.remedy
            case .replay, .store(isHearing: true): ""
            case .store(isHearing: false):
                "no gateway of the store can hear: see health.gateways, and what their own status says"
            }
        }
    }

    package func status(
        isOnline: Bool, epoch: String, radio: RadioStatus, location: LocationStatus? = nil, at instant: Instant,
        _ timebase: Timebase
    ) -> Message {
        let payload = StatusPayload(
            head: head(at: instant, timebase), isOnline: isOnline, version: version, epoch: epoch, radio: radio.covered,
            remedy: radio.remedy, location: location)
        return message(.status, on: topics.status, payload.encoded)
    }
}
