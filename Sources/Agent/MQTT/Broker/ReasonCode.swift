/// The byte with which a broker reports a result (MQTT 5.0, §2.4). Below 0x80 it reports success.
package struct ReasonCode: RawRepresentable, Hashable, Sendable {
    package var rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    static let success = ReasonCode(rawValue: 0x00)
    /// The message was accepted, but no client subscribes to its topic now.
    static let noMatchingSubscribers = ReasonCode(rawValue: 0x10)
    static let protocolError = ReasonCode(rawValue: 0x82)
    static let implementationSpecificError = ReasonCode(rawValue: 0x83)
    static let unspecifiedError = ReasonCode(rawValue: 0x80)
    static let malformedPacket = ReasonCode(rawValue: 0x81)
    static let unsupportedProtocolVersion = ReasonCode(rawValue: 0x84)
    static let clientIdentifierNotValid = ReasonCode(rawValue: 0x85)
    static let badUserNameOrPassword = ReasonCode(rawValue: 0x86)
    static let notAuthorized = ReasonCode(rawValue: 0x87)
    static let serverUnavailable = ReasonCode(rawValue: 0x88)
    static let sessionTakenOver = ReasonCode(rawValue: 0x8E)
    static let topicNameInvalid = ReasonCode(rawValue: 0x90)
    static let packetTooLarge = ReasonCode(rawValue: 0x95)
    static let quotaExceeded = ReasonCode(rawValue: 0x97)
    static let payloadFormatInvalid = ReasonCode(rawValue: 0x99)
    static let retainNotSupported = ReasonCode(rawValue: 0x9A)
    static let qosNotSupported = ReasonCode(rawValue: 0x9B)

    var isSuccess: Bool { rawValue < 0x80 }

    /// True if the message itself is at fault, so that it would be refused again.
    var blamesMessage: Bool {
        switch self {
        case .malformedPacket, .topicNameInvalid, .packetTooLarge, .payloadFormatInvalid: true
        default: false
        }
    }

    /// True if a broker may end a connection with this reason because of a message, as Mosquitto does with
    /// `protocolError` where a topic has too many levels. Each such reason may have another cause.
    var mayBlameMessage: Bool {
        switch self {
        case .unspecifiedError, .protocolError, .implementationSpecificError, .notAuthorized, .retainNotSupported,
            .qosNotSupported:
            true
        default: false
        }
    }

    /// The MQTT 5 reason of an MQTT 3.1.1 CONNACK return code (§3.2.2.3).
    init(connectReturnCode: UInt8) {
        switch connectReturnCode {
        case 0: self = .success
        case 1: self = .unsupportedProtocolVersion
        case 2: self = .clientIdentifierNotValid
        case 3: self = .serverUnavailable
        case 4: self = .badUserNameOrPassword
        case 5: self = .notAuthorized
        default: self = .unspecifiedError
        }
    }
}

extension ReasonCode {
    /// The specification's name as a word for machines: `not_authorized`, or `reason_0x42` where it has none.
    var word: String {
        guard let name = Self.names[rawValue] else { return "reason_0x" + String(rawValue, radix: 16) }
        return String(name.map { $0 == " " ? "_" : Character($0.lowercased()) })
    }
}

extension ReasonCode: CustomStringConvertible {
    /// The specification's name and the number: `Not authorized (0x87)`.
    package var description: String {
        let digits = String(rawValue, radix: 16, uppercase: true)
        let number = "0x" + (digits.count < 2 ? "0" : "") + digits
        return "\(Self.names[rawValue] ?? "Reason code") (\(number))"
    }

    /// MQTT 5.0, table 2-6.
    fileprivate static let names: [UInt8: String] = [
        0x00: "Success", 0x10: "No matching subscribers", 0x80: "Unspecified error", 0x81: "Malformed Packet",
        0x82: "Protocol Error", 0x83: "Implementation specific error", 0x84: "Unsupported Protocol Version",
        0x85: "Client Identifier not valid", 0x86: "Bad User Name or Password", 0x87: "Not authorized",
        0x88: "Server unavailable", 0x89: "Server busy", 0x8A: "Banned", 0x8B: "Server shutting down",
        0x8C: "Bad authentication method", 0x8D: "Keep Alive timeout", 0x8E: "Session taken over",
        0x8F: "Topic Filter invalid", 0x90: "Topic Name invalid", 0x91: "Packet Identifier in use",
        0x92: "Packet Identifier not found", 0x93: "Receive Maximum exceeded", 0x94: "Topic Alias invalid",
        0x95: "Packet too large", 0x96: "Message rate too high", 0x97: "Quota exceeded",
        0x98: "Administrative action", 0x99: "Payload format invalid", 0x9A: "Retain not supported",
        0x9B: "QoS not supported", 0x9C: "Use another server", 0x9D: "Server moved",
        0x9E: "Shared Subscriptions not supported", 0x9F: "Connection rate exceeded", 0xA0: "Maximum connect time",
        0xA1: "Subscription Identifiers not supported", 0xA2: "Wildcard Subscriptions not supported",
    ]
}

/// The limits in a broker's CONNACK (MQTT 5.0, §3.2.2.3); an MQTT 3.1.1 broker names none, so all is allowed.
package struct BrokerLimits: Hashable, Sendable {
    /// The most QoS 1 messages that may be under way at once, 1 … 65 535.
    var receiveMaximum = 65_535
    var isRetainAvailable = true
    /// True if the broker takes QoS 1.
    package var isQoS1Available = true
    /// The keepalive that the broker names in place of the agent's, 0 for none; `nil` where the agent's counts.
    var keepalive_s: Int?
    /// The longest packet that the broker takes; `nil` where it names no limit.
    package var longestPacket_bytes: Int?

    /// Events and states are shorter, even with the longest names, and so is a CONNECT without a long password. Long
    /// lists of beacons are not.
    static let neededPacket_bytes = 4_096

    /// True if the broker takes packets as long as an event may be.
    package var hasRoomForEvents: Bool { longestPacket_bytes.map { $0 >= Self.neededPacket_bytes } ?? true }
}
