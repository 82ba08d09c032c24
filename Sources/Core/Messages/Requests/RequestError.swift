/// The reason for which a request is refused.
package struct RequestError: Error, Hashable, Sendable {
    /// The reason for programs. The raw value is the word in a response.
    enum Code: String, CaseIterable, Sendable {
        /// The request has the retain flag and may be old.
        case retainedRequest = "retained_request"
        /// More than 4 KiB.
        case tooLarge = "too_large"
        case malformedJSON = "malformed_json"
        /// A key is unknown, missing, or of the wrong type or range.
        case invalidRequest = "invalid_request"
        case unknownVerb = "unknown_verb"
        /// The agent does not use such a response topic or correlation data.
        case invalidResponseTopic = "invalid_response_topic"
        case tooManyRequests = "too_many_requests"
        /// No region of that id is monitored.
        case unknownRegion = "unknown_region"
        /// The region is defined in `config.toml` and is changed there.
        case configuredRegion = "configured_region"
        /// Another definition of that id is monitored by request.
        case regionExists = "region_exists"
        /// A value violates the rules of the configuration.
        case invalidRegion = "invalid_region"
        /// The answer is longer than the broker accepts.
        case answerTooLarge = "answer_too_large"
        /// A limit of `[regions]`. Core Location's `monitoringDidFailFor`.
        case regionMonitoringFailure = "region_monitoring_failure"
        /// No fix is available, or none came in time. Core Location's `locationUnknown`.
        case locationUnavailable = "location_unavailable"
    }

    var code: Code
    /// The problem and its remedy, for people.
    var text: String

    init(_ code: Code, _ text: String) {
        self.code = code
        self.text = text
    }
}

extension RequestError {
    static let retained = RequestError(
        .retainedRequest,
        "a retained request may be old and is not carried out; publish it without the retain flag, and clear this one "
            + "with an empty retained message")

    static let tooManyRequests = RequestError(
        .tooManyRequests,
        "more than \(RequestGate.rate_per_s) requests a second; ask again later, and for several states at once")

    static func tooManyLocationRequests(_ limit: Int) -> RequestError {
        RequestError(.tooManyRequests, "\(limit) requests for a fix are waiting already; their answers will be yours")
    }

    /// - Parameter availability: the availability of the receiver.
    static func locationUnavailable(_ availability: LocationAvailability) -> RequestError {
        let reason =
            switch availability {
            case .off: "the gateway is not asked where it is: set source in [location]"
            case .absent: "gpsd is not there: 'beacond check' on the gateway says what is missing"
            case .noDevice: "gpsd has no receiver: 'beacond check' on the gateway says how to give it one"
            case .searching: "no receiver has had a fix in time: give it a view of the sky, and more time by timeout_s"
            case .located: "no fresh fix came in time: allow more by timeout_s"
            }
        return RequestError(.locationUnavailable, reason)
    }

    static let locationOmitted = RequestError(
        .locationUnavailable, "the place does not leave this gateway: its [privacy] location is \"omit\"")

    static let tooLarge = RequestError(
        .tooLarge, "a request must have at most \(RequestGate.maxPayload_bytes) bytes")

    static let unknownVerb = RequestError(
        .unknownVerb,
        "there is no request of that name; known are "
            + RequestVerb.allCases.map(\.rawValue).joined(separator: ", "))

    static let correlationTooLong = RequestError(
        .invalidResponseTopic,
        "correlation data must have at most \(ReplyAddress.maxCorrelation_bytes) bytes")

    static func invalidResponseTopic(_ topics: TopicTree, sparing foreignTrees: [String]) -> RequestError {
        let spared = foreignTrees.map { "; it must not be \($0), nor below it" }.joined()
        return RequestError(
            .invalidResponseTopic,
            "a response topic must have 1 to \(TopicName.maxTopic_bytes) bytes in at most \(TopicName.maxLevels) levels, without "
                + "+ # or control characters, and not begin with $; below \(topics.prefix)/ it must be below \(topics.response(""))"
                + spared
        )
    }

    /// Returns the error in place of a list that is too long for the broker; `nil` for other answers.
    static func answerTooLarge(_ result: Answer.Result, bytes: Int) -> RequestError? {
        switch result {
        case .states(let states, next: _) where states.count > 1:
            RequestError(
                .answerTooLarge,
                "the answer has \(states.count) states in \(bytes) bytes, more than the broker takes in one message; ask with a limit, "
                    + "such as \(states.count / 2), and go on with next")
        case .states, .ranging:
            RequestError(
                .answerTooLarge,
                "the answer has \(bytes) bytes, more than the broker takes in one message; have the broker take larger ones"
            )
        case .monitoring, .stopped, .location, .refused: nil
        }
    }

    static func notNull(_ key: String) -> RequestError {
        RequestError(.invalidRequest, "\(Self.quoted(key)): must not be null; leave the key out")
    }

    /// Returns text from outside, on one line, with at most about 60 characters.
    static func quoted(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(60).map { scalar in
            TopicName.isForbidden(scalar) ? "\u{FFFD}" : scalar
        }
        var shown = String(String.UnicodeScalarView(scalars))
        if text.unicodeScalars.count > 60 { shown += "…" }
        return "\"\(shown)\""
    }
}

/// The reasons of the engine.
extension RequestError {
    static func unknownRegion(_ id: String) -> RequestError {
        RequestError(.unknownRegion, "no region \(quoted(id)) is monitored; ask for state without a region to see all")
    }

    static func configuredRegion(_ id: String) -> RequestError {
        RequestError(
            .configuredRegion, "region \(quoted(id)) stands in config.toml; change it there and reload beacond")
    }

    static func regionExists(_ id: String) -> RequestError {
        RequestError(
            .regionExists, "region \(quoted(id)) is monitored already, with another definition; stop it first")
    }

    /// Returns the error for a region without beacons, which cannot be ranged.
    static func notOfBeacons(_ id: String, _ kind: RegionKind) -> RequestError {
        RequestError(.invalidRequest, "region \(quoted(id)) is a \(kind.name): there are no beacons of it to range")
    }

    /// Returns the error for a region of people, of which only counts are published.
    static func ofPeople(_ id: String) -> RequestError {
        RequestError(.invalidRequest, "region \(quoted(id)) is one of people: only count tells of it")
    }

    static func wrongInstance(_ region: BeaconRegion) -> RequestError {
        let wanted =
            switch region.expansion {
            case .none: "neither major nor minor"
            case .major: "a major and no minor"
            case .minor: "a major and a minor"
            }
        return RequestError(
            .invalidRequest, "region \(quoted(region.id)): give \(wanted), which names one instance of it")
    }
}
