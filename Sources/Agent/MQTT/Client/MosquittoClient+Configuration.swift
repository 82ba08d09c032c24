import CMosquitto
import Core

extension MosquittoClient {
    /// Everything that must be known before CONNECT.
    func configure(will: Message?, password: String?) throws(ConnectionFailure) {
        let version = inbox.isVersion5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
        try call("protocol version", mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, version))
        try call("TCP_NODELAY", mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1))
        // The session keeps the window. libmosquitto still lowers this to the broker's own limit.
        try call("send maximum", mosquitto_int_option(handle, MOSQ_OPT_SEND_MAXIMUM, 65_535))
        if !settings.username.isEmpty || password != nil {
            let username = settings.username.isEmpty ? nil : settings.username
            try call("login", mosquitto_username_pw_set(handle, username, password))
        }
        if let will { try set(will: will) }
        if settings.usesTLS { try MosquittoTLS(settings: settings).apply(to: handle) }
        if inbox.isVersion5 { try announceMaximumPacketSize() }
    }

    private func set(will: Message) throws(ConnectionFailure) {
        let length = Int32(clamping: will.payload.count)
        var properties: OpaquePointer?
        // libmosquitto owns the list once it has taken the will.
        var isTaken = false
        defer { if !isTaken { mosquitto_property_free_all(&properties) } }
        if inbox.isVersion5 { try call("will", MosquittoProperties.add(of: will, to: &properties)) }
        let code = will.payload.withUnsafeBytes { bytes in
            mosquitto_will_set_v5(
                handle, will.topic, length, bytes.baseAddress, Int32(will.qos.rawValue), will.isRetained, properties)
        }
        try call("will", code)
        isTaken = true
    }

    /// MQTT 3.1.1 has no word for that, and libmosquitto reads whatever comes into memory whole.
    ///
    /// libmosquitto takes CONNECT properties only through its blocking connect. Without a host that call keeps the
    /// properties, which the connect that follows sends, and refuses the rest.
    private func announceMaximumPacketSize() throws(ConnectionFailure) {
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        let identifier = Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue)
        try call(
            "maximum packet size", mosquitto_property_add_int32(&properties, identifier, inbox.limits.packet_bytes))
        _ = mosquitto_connect_bind_v5(handle, nil, 0, 0, nil, properties)
    }

    private func call(_ name: String, _ code: Int32) throws(ConnectionFailure) {
        guard code == MOSQ_ERR_SUCCESS.rawValue else {
            throw .library(call: name, detail: String(cString: mosquitto_strerror(code)))
        }
    }
}
