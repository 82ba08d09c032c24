/// The messages of MOKO's gateways (MKGW1 to MKGW3): JSON, the kind of message in `msg_id`.
///
/// As `barnowl-mokosmart` reads them, and MOKO's own applications:
///
///     msg_id 3070   `data`: a list; each packet has `mac`, `timestamp` in ms, `rssi`, `adv_data` and `rsp_data` in
///                   hexadecimal
///     msg_id 3004   `data`: a list of `{"type": …, "value": …}`; each value has `mac`, `rssi`, and `raw` or `raw data`
///                   in hexadecimal; its `timestamp` is in whole seconds, as `2026-11-29&17:10:16+08`
///     others        the gateway's own state, from 3000 on: it runs
enum MokoFormat {
    private static let fault = ReceiverRefusal(
        .useless("let the scan notification of MOKO's gateway contain raw data (adv_data, or raw in msg_id 3004)"))

    static func read(_ payload: [UInt8]) throws(ReceiverRefusal) -> ReceiverMessage {
        let document = try JSONDocument.ofReceiver(payload)
        guard let kind = document.integer(at: document.field("msg_id", of: 0)) else {
            throw .malformed("no number msg_id")
        }
        let list = document.field("data", of: 0)
        var message = ReceiverMessage()
        switch kind {
        case 3070:
            for packet in document.elements(of: list) { append(packet, of: document, to: &message) }
        case 3004:
            for entry in document.elements(of: list) {
                append(document.field("value", of: entry), of: document, to: &message)
            }
        default: break
        }
        return message
    }

    private static func append(_ packet: Int?, of document: JSONDocument, to message: inout ReceiverMessage) {
        guard let address = document.address(at: document.field("mac", of: packet)) else {
            message.fault = fault
            return
        }
        let time = document.field("timestamp", of: packet)
        if let time {
            message.isDated = true
            message.sentAt = document.text(at: time).flatMap(wholeSeconds) ?? message.sentAt
        }
        let data =
            document.field("adv_data", of: packet) ?? document.field("raw data", of: packet)
            ?? document.field("raw", of: packet)
        message.append(
            address, rssi_dbm: document.rssi(at: document.field("rssi", of: packet)),
            data: document.hexadecimal(at: data),
            scanResponse: document.hexadecimal(at: document.field("rsp_data", of: packet)),
            at: document.milliseconds(at: time), orElse: fault)
    }

    /// Reads a local time with its zone's hours.
    private static func wholeSeconds(_ text: String) -> WallTime? {
        let (length, digits) = ("2026-11-29&17:10:16".count, Array(text))
        guard digits.count == length + 3, digits[10] == "&", let zone_h = Int64(String(digits[length...])),
            let local = Timestamp.anyTime(String(digits[..<10] + "T" + digits[11..<length] + "Z"))
        else { return nil }
        return local - .seconds(Double(zone_h) * 3_600)
    }
}
