import CMosquitto
import Core
import Glibc

/// The results of libmosquitto's callbacks. The callbacks only write here.
final class ClientInbox {
    var events: [ClientEvent] = []
    /// The code of the first disconnect callback: 0x80 and above is the broker's reason, below is libmosquitto's own
    /// error.
    var endCode: Int32?
    /// The CONNACK's reason where the login was refused.
    var refusal: ReasonCode?
    /// Errors of libmosquitto and OpenSSL, oldest first. They are more precise than the return codes.
    private(set) var errorLines: [String] = []

    /// The filters that wait for the broker's answer, by packet identifier.
    var subscriptions: [Int32: String] = [:]

    let isVersion5: Bool
    let limits: IncomingLimits

    init(isVersion5: Bool, limits: IncomingLimits) {
        self.isVersion5 = isVersion5
        self.limits = limits
    }

    /// Registers the callbacks. `self` must outlive the handle.
    func attach(to handle: OpaquePointer) {
        mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
        mosquitto_connect_v5_callback_set(handle) { _, context, code, _, properties in
            ClientInbox.of(context)?.connected(code, properties)
        }
        mosquitto_disconnect_v5_callback_set(handle) { _, context, code, _ in
            guard let inbox = ClientInbox.of(context), inbox.endCode == nil else { return }
            inbox.endCode = code
        }
        mosquitto_publish_v5_callback_set(handle) { _, context, mid, reason, _ in
            guard let mid = UInt16(exactly: mid), let reason = UInt8(exactly: reason) else { return }
            ClientInbox.of(context)?.events.append(.acknowledged(mid: mid, ReasonCode(rawValue: reason)))
        }
        mosquitto_subscribe_v5_callback_set(handle) { _, context, mid, count, granted, _ in
            guard let inbox = ClientInbox.of(context), let filter = inbox.subscriptions.removeValue(forKey: mid) else {
                return
            }
            let codes = UnsafeBufferPointer(start: granted, count: Int(count))
            let reasons = codes.map { ReasonCode(rawValue: UInt8(truncatingIfNeeded: $0)) }
            inbox.events.append(.subscribed(filter: filter, reasons))
        }
        mosquitto_message_v5_callback_set(handle) { _, context, message, properties in
            guard let message else { return }
            ClientInbox.of(context)?.received(message.pointee, properties)
        }
        mosquitto_log_callback_set(handle) { _, context, level, text in
            guard level == MOSQ_LOG_ERR, let text else { return }
            ClientInbox.of(context)?.log(String(cString: text))
        }
    }

    /// Ends the library's log, which it would otherwise format for every packet. The failures of an established
    /// connection come as codes too.
    func endLog(of handle: OpaquePointer) { mosquitto_log_callback_set(handle, nil) }

    private static func of(_ context: UnsafeMutableRawPointer?) -> ClientInbox? {
        context.map { Unmanaged<ClientInbox>.fromOpaque($0).takeUnretainedValue() }
    }

    private func connected(_ code: Int32, _ properties: OpaquePointer?) {
        let byte = UInt8(truncatingIfNeeded: code)
        let reason = isVersion5 ? ReasonCode(rawValue: byte) : ReasonCode(connectReturnCode: byte)
        if reason == .success {
            events.append(.connected(MosquittoProperties.limits(properties)))
        } else {
            refusal = reason
        }
    }

    private func received(_ message: mosquitto_message, _ properties: OpaquePointer?) {
        guard let topic = message.topic else { return }
        let bytes = UnsafeRawBufferPointer(start: message.payload, count: max(0, Int(message.payloadlen)))
        let isOversize = bytes.count > limits.payload_bytes
        events.append(
            .received(
                IncomingMessage(
                    topic: String(cString: topic),
                    payload: isOversize ? .oversize(length: bytes.count) : .bytes([UInt8](bytes)),
                    isRetained: message.retain,
                    responseTopic: MosquittoProperties.responseTopic(properties),
                    correlationData: MosquittoProperties.correlationData(properties))))
    }

    private func log(_ line: String) {
        if errorLines.count < 16 { errorLines.append(line) }
    }
}

/// An event of libmosquitto's callbacks. Events are gathered in order and read afterwards, so that no callback
/// re-enters the library.
package enum ClientEvent {
    /// Octets came from the broker.
    case heard
    case connected(BrokerLimits)
    /// The connection is gone, and the client of no more use.
    case lost(ConnectionFailure)
    case acknowledged(mid: UInt16, ReasonCode)
    case subscribed(filter: String, [ReasonCode])
    case received(IncomingMessage)
    /// The files of the certificate are others than those that the connection began with.
    case certificateChanged
    /// The files of the certificate have changed, and can't be used. This connection goes on with those that it began with.
    case certificateRefused(ConnectionFailure)
}

/// Converts MQTT 5 properties to and from libmosquitto's linked list.
enum MosquittoProperties {
    /// Adds the properties of an outgoing message: its content type, unless it only clears a topic, and its expiry
    /// interval and correlation data, if any. The caller frees the list.
    ///
    /// - Returns: A `mosq_err_t`. A message goes out with all of them or not at all.
    static func add(of message: Message, to list: inout OpaquePointer?) -> Int32 {
        var code = Int32(MOSQ_ERR_SUCCESS.rawValue)
        if !message.payload.isEmpty {
            code = mosquitto_property_add_string(&list, Int32(MQTT_PROP_CONTENT_TYPE.rawValue), "application/json")
        }
        if code == MOSQ_ERR_SUCCESS.rawValue, let data = message.correlationData {
            code = data.withUnsafeBytes { bytes in
                mosquitto_property_add_binary(
                    &list, Int32(MQTT_PROP_CORRELATION_DATA.rawValue), bytes.baseAddress,
                    UInt16(clamping: bytes.count))
            }
        }
        if code == MOSQ_ERR_SUCCESS.rawValue, let expiry = message.expiry_s {
            code = mosquitto_property_add_int32(&list, Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), expiry)
        }
        return code
    }

    /// The limits of a CONNACK.
    static func limits(_ list: OpaquePointer?) -> BrokerLimits {
        var limits = BrokerLimits()
        var receiveMaximum: UInt16 = 0
        if mosquitto_property_read_int16(list, Int32(MQTT_PROP_RECEIVE_MAXIMUM.rawValue), &receiveMaximum, false) != nil
        {
            limits.receiveMaximum = max(1, Int(receiveMaximum))
        }
        var keepalive_s: UInt16 = 0
        if mosquitto_property_read_int16(list, Int32(MQTT_PROP_SERVER_KEEP_ALIVE.rawValue), &keepalive_s, false) != nil
        {
            limits.keepalive_s = Int(keepalive_s)
        }
        var longest: UInt32 = 0
        if mosquitto_property_read_int32(list, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), &longest, false) != nil {
            limits.longestPacket_bytes = Int(longest)
        }
        var flag: UInt8 = 0
        if mosquitto_property_read_byte(list, Int32(MQTT_PROP_RETAIN_AVAILABLE.rawValue), &flag, false) != nil {
            limits.isRetainAvailable = flag != 0
        }
        if mosquitto_property_read_byte(list, Int32(MQTT_PROP_MAXIMUM_QOS.rawValue), &flag, false) != nil {
            limits.isQoS1Available = flag != 0
        }
        return limits
    }

    static func responseTopic(_ list: OpaquePointer?) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        defer { free(text) }
        let identifier = Int32(MQTT_PROP_RESPONSE_TOPIC.rawValue)
        guard mosquitto_property_read_string(list, identifier, &text, false) != nil else { return nil }
        return text.map { String(cString: $0) }
    }

    static func correlationData(_ list: OpaquePointer?) -> [UInt8]? {
        var bytes: UnsafeMutableRawPointer?
        var length: UInt16 = 0
        defer { free(bytes) }
        let identifier = Int32(MQTT_PROP_CORRELATION_DATA.rawValue)
        guard mosquitto_property_read_binary(list, identifier, &bytes, &length, false) != nil else { return nil }
        return [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(length)))
    }
}
