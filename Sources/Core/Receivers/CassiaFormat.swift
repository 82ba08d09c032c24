/// The messages of Cassia's gateways (E1000, M2000, X2000) on `up/{gateway}/scan`: JSON.
///
/// As `barnowl-cassia` and Cassia's SDK guide have them. An envelope `{"action": "data.scan", "timestamp": ms,
/// "gateway": …, "data": …}` holds one packet or a list; a packet may also come without the envelope:
///
///     bdaddrs     a list whose first element has `bdaddr` and `bdaddrType`: `public` or `random`; or both fields alone
///     rssi        dBm
///     adData      advertising data, hexadecimal
///     scanData    scan response data, hexadecimal
///     timestamp   ms; where it is missing, the envelope's counts
///
/// Other actions, such as `gateway_status` and `heartbeat`, say that the gateway runs.
enum CassiaFormat {
    private static let fault = ReceiverRefusal(
        .useless("let Cassia's gateway publish scan data with bdaddr, and adData or scanData in hexadecimal"))

    static func read(_ payload: [UInt8]) throws(ReceiverRefusal) -> ReceiverMessage {
        let document = try JSONDocument.ofReceiver(payload)
        var message = ReceiverMessage()
        if let action = document.field("action", of: 0) {
            guard document.isText("data.scan", at: action) else { return message }
            let time = document.field("timestamp", of: 0)
            message.isDated = time != nil
            try append(document.field("data", of: 0), at: document.milliseconds(at: time), of: document, to: &message)
        } else {
            try append(0, at: nil, of: document, to: &message)
        }
        return message
    }

    private static func append(
        _ content: Int?, at time: WallTime?, of document: JSONDocument, to message: inout ReceiverMessage
    ) throws(ReceiverRefusal) {
        guard let content else { throw .malformed("no data") }
        switch document.nodes[content] {
        case .array:
            for packet in document.elements(of: content) {
                if !append(packet: packet, at: time, of: document, to: &message) { message.fault = fault }
            }
        case .object:
            guard append(packet: content, at: time, of: document, to: &message) else {
                throw .malformed("neither bdaddrs nor bdaddr with an address")
            }
        default: throw .malformed("neither a packet nor a list of packets")
        }
    }

    /// Returns whether the packet has an address.
    private static func append(
        packet: Int, at time: WallTime?, of document: JSONDocument, to message: inout ReceiverMessage
    ) -> Bool {
        let owner = document.elements(of: document.field("bdaddrs", of: packet)).first ?? packet
        let isRandom = document.field("bdaddrType", of: owner).map { !document.isText("public", at: $0) }
        guard let address = document.address(at: document.field("bdaddr", of: owner), isRandom: isRandom) else {
            return false
        }
        let own = document.field("timestamp", of: packet)
        let time = document.milliseconds(at: own) ?? time
        // A clock that counts from 1970 gives no time, but makes equal messages repeats.
        if own != nil { message.isDated = true }
        message.append(
            address, rssi_dbm: document.rssi(at: document.field("rssi", of: packet)),
            data: document.hexadecimal(at: document.field("adData", of: packet)),
            scanResponse: document.hexadecimal(at: document.field("scanData", of: packet)), at: time, orElse: fault)
        return true
    }
}
