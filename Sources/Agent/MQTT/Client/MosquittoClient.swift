import CMosquitto
import CMosquittoReader
import Core
import Glibc

/// One connection to the broker through libmosquitto, from the first SYN to its end.
///
/// Every attempt has a client of its own. A client that reconnects would send unacknowledged messages again, which the
/// session already does; and a fresh client reads certificates and password anew. The caller polls `descriptor` and
/// calls `service`; there is no thread. `deinit` closes the socket without a DISCONNECT, so the broker publishes the
/// will.
///
/// libmosquitto resolves the host name inside `connect`, which blocks; so `HostLookup` resolves it first.
final class MosquittoClient {
    enum Phase {
        /// The TCP connection is being made.
        case connecting
        /// TLS handshake, CONNECT, and the wait for the CONNACK.
        case loggingIn
        case connected
        case over
    }

    private(set) var phase = Phase.connecting
    let handle: OpaquePointer
    let inbox: ClientInbox
    let settings: BrokerSettings
    /// The part of a login that the settings leave out; `nil` where there is a certificate or a password.
    private let missing: ConnectionFailure.Credential?
    private var isDisconnecting = false
    /// The system's error when the connection was begun.
    private var connectErrno: Int32 = 0
    /// Packet identifiers that wait for a PUBACK.
    private var unacknowledged: Set<UInt16> = []

    /// The most packets to read at the end: one for each message under way, and more than the socket's buffer holds of
    /// others.
    private static let mostLastWords = 2_000
    private static let isLibraryReady = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue

    /// - Parameters:
    ///   - clientID: unique among all clients of the broker.
    ///   - limits: the limits of what the broker may deliver.
    init(
        settings: BrokerSettings, clientID: String, limits: IncomingLimits, will: Message?, password: String?
    ) throws(ConnectionFailure) {
        guard Self.isLibraryReady, let handle = mosquitto_new(clientID, true, nil) else {
            throw .library(call: "mosquitto_new", detail: systemText(errno))
        }
        self.handle = handle
        self.settings = settings
        missing =
            if !settings.certificateFile.isEmpty { nil } else if password != nil { nil } else {
                settings.username.isEmpty ? .username : .password
            }
        inbox = ClientInbox(isVersion5: settings.protocolVersion == .v5, limits: limits)
        inbox.attach(to: handle)
        try configure(will: will, password: password)
    }

    deinit {
        // Closing calls the callbacks, so the inbox must outlive the handle.
        mosquitto_destroy(handle)
    }

    /// The socket to poll; `nil` once the connection is over.
    var descriptor: Int32? {
        let descriptor = mosquitto_socket(handle)
        return descriptor >= 0 && phase != .over ? descriptor : nil
    }

    /// The events to poll the socket for.
    var interest: Int16 {
        switch phase {
        case .connecting: Int16(POLLOUT)
        // libmosquitto wants to write throughout a handshake: polling for POLLOUT would spin until the peer answers.
        case .loggingIn: Int16(POLLIN)
        case .connected: Int16(POLLIN) | (isBackedUp ? Int16(POLLOUT) : 0)
        case .over: 0
        }
    }

    /// Milliseconds after which `service` must be called even if the socket is silent: the keepalive counts seconds,
    /// and a handshake that could not write continues.
    var patience_ms: Int32 {
        switch phase {
        case .loggingIn: 100
        case .connecting, .connected: 1_000
        case .over: 0
        }
    }

    /// True if the socket takes no more for now.
    var isBackedUp: Bool { mosquitto_want_write(handle) }

    /// Begins to connect, without waiting.
    func connect(bindAddress: String? = nil) throws(ConnectionFailure) {
        errno = 0
        let code = mosquitto_connect_bind_async(
            handle, settings.host, Int32(settings.port), Int32(clamping: settings.keepalive_s), bindAddress)
        let number = errno
        guard code == MOSQ_ERR_SUCCESS.rawValue else {
            phase = .over
            throw failure(code: code, number: number)
        }
        connectErrno = number
        guard !settings.usesTLS || mosquitto_ssl_get(handle) != nil else {
            phase = .over
            throw .tls(detail: "libmosquitto made no TLS context")
        }
    }

    /// Reads and writes what the socket allows. `events` is the result of `poll`, 0 where it reported nothing.
    func service(events: Int16) {
        switch phase {
        case .connecting:
            guard events != 0 else { return }
            if let number = socketError() ?? connectError() {
                // With TLS the first octets are already sent; a port that speaks another protocol then answers with a
                // reset.
                if number == ECONNRESET || number == EPIPE { return end(closedBeforeLogin) }
                return end(.unreachable(host: settings.host, port: settings.port, detail: systemText(number)))
            }
            phase = .loggingIn
            logIn()
        case .loggingIn:
            // libmosquitto takes the end of the stream within a TLS handshake for "try again".
            if events != 0, isClosedByPeer() { return end(closedBeforeLogin) }
            logIn()
        case .connected: transfer()
        case .over: break
        }
    }

    func publish(_ message: Message) throws(PublishFailure) -> UInt16 {
        guard phase == .connected else { throw .connectionLost }
        guard !message.topic.utf8.contains(0) else { throw .refused(.topicNameInvalid) }
        guard let length = Int32(exactly: message.payload.count) else { throw .refused(.packetTooLarge) }
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        var mid: Int32 = 0
        errno = 0
        var code = inbox.isVersion5 ? MosquittoProperties.add(of: message, to: &properties) : MOSQ_ERR_SUCCESS.rawValue
        if code == MOSQ_ERR_SUCCESS.rawValue {
            code = message.payload.withUnsafeBytes { bytes in
                mosquitto_publish_v5(
                    handle, &mid, message.topic, length, bytes.baseAddress, Int32(message.qos.rawValue),
                    message.isRetained, properties)
            }
        }
        let number = errno
        switch mosq_err_t(rawValue: code) {
        case MOSQ_ERR_SUCCESS: return try register(UInt16(truncatingIfNeeded: mid), qos: message.qos)
        case MOSQ_ERR_INVAL, MOSQ_ERR_MALFORMED_UTF8: throw .refused(.topicNameInvalid)
        case MOSQ_ERR_PAYLOAD_SIZE, MOSQ_ERR_OVERSIZE_PACKET: throw .refused(.packetTooLarge)
        case MOSQ_ERR_QOS_NOT_SUPPORTED: throw .refused(.qosNotSupported)
        default:
            // A lack of memory is neither the message's nor the broker's fault. The message goes out in order on
            // another connection.
            readLastWords()
            settle(code: code, number: number)
            throw .connectionLost
        }
    }

    /// Subscribes at QoS 1; `takeEvents` returns the broker's answer.
    ///
    /// - Parameter retainAsPublished: asks an MQTT 5 broker to leave the retain flag as it was published. Then the agent
    ///   recognises a retained request the first time too, not only after a reconnect.
    func subscribe(_ filter: String, retainAsPublished: Bool) {
        guard phase == .connected else { return }
        let options =
            inbox.isVersion5 && retainAsPublished ? Int32(MQTT_SUB_OPT_RETAIN_AS_PUBLISHED.rawValue) : 0
        settle {
            var mid: Int32 = 0
            defer { inbox.subscriptions[mid] = filter }
            return mosquitto_subscribe_v5(handle, &mid, filter, 1, options, nil)
        }
    }

    func unsubscribe(_ filter: String) {
        guard phase == .connected else { return }
        settle { mosquitto_unsubscribe_v5(handle, nil, filter, nil) }
    }

    /// Sends DISCONNECT, which makes the broker drop the will. The socket closes once that is written.
    func disconnect() {
        guard phase == .connected else { return }
        isDisconnecting = true
        settle { mosquitto_disconnect_v5(handle, 0, nil) }
    }

    func takeEvents() -> [ClientEvent] {
        let events = inbox.events
        inbox.events = []
        for case .acknowledged(let mid, _) in events { unacknowledged.remove(mid) }
        return events
    }

    /// libmosquitto counts packet identifiers up and around, QoS 0 included, without checking whether one is still in
    /// use. A new message with an identifier that still waits for its PUBACK would be taken as acknowledged by that
    /// PUBACK.
    private func register(_ mid: UInt16, qos: Message.QoS) throws(PublishFailure) -> UInt16 {
        guard !unacknowledged.contains(mid) else {
            inbox.events.removeAll { if case .acknowledged(mid, _) = $0 { true } else { false } }
            end(.library(call: "publish", detail: "out of packet identifiers"))
            throw .connectionLost
        }
        if qos == .atLeastOnce { unacknowledged.insert(mid) }
        return mid
    }

    /// Reads the last packets of a broker that ends the connection: a PUBACK or a DISCONNECT with a reason may be among
    /// them.
    private func readLastWords() {
        for _ in 0..<Self.mostLastWords where inbox.endCode == nil {
            if beacond_mosquitto_read(handle) != MOSQ_ERR_SUCCESS.rawValue { return }
        }
    }

    private func transfer() {
        // Reading drives the TLS handshake too. A finished handshake lets the following write go out.
        settle { beacond_mosquitto_read(handle) }
        if phase != .over { settle { mosquitto_loop_write(handle, 1) } }
        if phase != .over { settle { mosquitto_loop_misc(handle) } }
    }

    /// Calls into the library, and handles the changes.
    private func settle(_ call: () -> Int32) {
        errno = 0
        let code = call()
        settle(code: code, number: errno)
    }

    private func settle(code: Int32, number: Int32) {
        if phase == .loggingIn, inbox.events.contains(where: { if case .connected = $0 { true } else { false } }) {
            phase = .connected
            inbox.endLog(of: handle)
        }
        if let endCode = inbox.endCode {
            end(failure(code: endCode, number: number))
        } else if code != MOSQ_ERR_SUCCESS.rawValue {
            end(failure(code: code, number: number))
        }
    }

    private func end(_ failure: ConnectionFailure) {
        guard phase != .over else { return }
        phase = .over
        if !isDisconnecting { inbox.events.append(.lost(failure)) }
    }

    private func failure(code: Int32, number: Int32) -> ConnectionFailure {
        MosquittoFailure(
            code: code, number: number, refusal: inbox.refusal, missing: missing, errorLines: inbox.errorLines,
            host: settings.host, port: settings.port, wasConnected: phase == .connected
        ).interpreted
    }

    private var closedBeforeLogin: ConnectionFailure { .closedBeforeLogin(host: settings.host, port: settings.port) }

    private func socketError() -> Int32? {
        var number: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard let descriptor, getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length) == 0 else { return EBADF }
        return number == 0 ? nil : number
    }

    /// Finds an error of the connection. Where the peer is near, TLS's first octets meet its refusal before `SO_ERROR`
    /// is read, and clear it: then there is neither error nor peer.
    private func connectError() -> Int32? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        guard let descriptor else { return EBADF }
        let code = withUnsafeMutableBytes(of: &address) { bytes in
            getpeername(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
        }
        guard code != 0, errno == ENOTCONN else { return nil }
        return [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH].contains(connectErrno) ? connectErrno : nil
    }

    /// libmosquitto writes the login right after its part of the handshake. A broker that refuses the certificate
    /// closes between the two. libmosquitto then can't write, and does not read the reason. So both leave in one
    /// segment.
    private func logIn() {
        cork(true)
        transfer()
        cork(false)
    }

    private func cork(_ isOn: Bool) {
        guard settings.usesTLS, let descriptor else { return }
        var value: Int32 = isOn ? 1 : 0
        _ = setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private func isClosedByPeer() -> Bool {
        guard let descriptor else { return true }
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)
    }
}

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
                    &list, Int32(MQTT_PROP_CORRELATION_DATA.rawValue), bytes.baseAddress, UInt16(clamping: bytes.count))
            }
        }
        if code == MOSQ_ERR_SUCCESS.rawValue, let expiry = message.expiry_s {
            code = mosquitto_property_add_int32(&list, Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), expiry)
        }
        return code
    }

    static func limits(_ list: OpaquePointer?) -> BrokerLimits {
        func number<Number: FixedWidthInteger>(
            _ property: mqtt5_property,
            _ read: (OpaquePointer?, Int32, UnsafeMutablePointer<Number>?, Bool) -> OpaquePointer?
        ) -> Int? {
            var value: Number = 0
            return read(list, Int32(property.rawValue), &value, false) == nil ? nil : Int(value)
        }
        var limits = BrokerLimits()
        if let most = number(MQTT_PROP_RECEIVE_MAXIMUM, mosquitto_property_read_int16) {
            limits.receiveMaximum = max(1, most)
        }
        limits.keepalive_s = number(MQTT_PROP_SERVER_KEEP_ALIVE, mosquitto_property_read_int16)
        limits.longestPacket_bytes = number(MQTT_PROP_MAXIMUM_PACKET_SIZE, mosquitto_property_read_int32)
        limits.isRetainAvailable = number(MQTT_PROP_RETAIN_AVAILABLE, mosquitto_property_read_byte) != 0
        limits.isQoS1Available = number(MQTT_PROP_MAXIMUM_QOS, mosquitto_property_read_byte) != 0
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
