import CMosquitto
import Core
import Glibc

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
