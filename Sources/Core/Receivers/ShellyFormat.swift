/// The events of Shelly's devices of generation 2 and later, on `<device>/events/rpc`: JSON.
///
/// A script on the device scans, and emits the event `ble.scan_result`. Home Assistant's script has this content
/// (`aioshelly`, versions 1 and 2); Shelly's documentation has the frame around it:
///
///     {"method": "NotifyEvent", "params": {"events": [{"event": "ble.scan_result", "ts": s, "data": …}]}}
///     data, version 2   [2, [[address, RSSI, advertising data, scan response data], …]], the data in Base64
///     data, version 1   [1, address, RSSI, advertising data, scan response data]
///
/// `ts` is the time at which the script emits the event, so the end of the batch. Other notifications say that the
/// device runs.
enum ShellyFormat {
    private static let fault = ReceiverRefusal(
        .useless("let the script of Shelly's device emit the fields of Home Assistant's script, the data in Base64"))

    static func read(_ payload: [UInt8]) throws(ReceiverRefusal) -> ReceiverMessage {
        let document = try JSONDocument.ofReceiver(payload)
        guard document.field("method", of: 0) != nil else { throw .malformed("no method") }
        var message = ReceiverMessage()
        for event in document.elements(of: document.field("events", of: document.field("params", of: 0))) {
            guard let name = document.field("event", of: event), document.isText("ble.scan_result", at: name) else {
                continue
            }
            let time = seconds(at: document.field("ts", of: event), of: document)
            if time != nil { message.isDated = true }
            let data = document.elements(of: document.field("data", of: event))
            switch document.integer(at: data.first) {
            case 1: append(data.dropFirst(), at: time, of: document, to: &message)
            case 2:
                for packet in document.elements(of: data.dropFirst().first) {
                    append(document.elements(of: packet)[...], at: time, of: document, to: &message)
                }
            default: throw .malformed("ble.scan_result is neither of version 1 nor 2")
            }
        }
        return message
    }

    private static func append(
        _ fields: ArraySlice<Int>, at time: WallTime?, of document: JSONDocument, to message: inout ReceiverMessage
    ) {
        let fields = Array(fields)
        guard fields.count >= 3, let address = document.address(at: fields[0]) else {
            message.fault = fault
            return
        }
        message.append(
            address, rssi_dbm: document.rssi(at: fields[1]), data: document.base64(at: fields[2]),
            scanResponse: fields.count > 3 ? document.base64(at: fields[3]) : nil, at: time, isTimeOfBatch: true,
            orElse: fault)
    }

    /// Returns a time in seconds since 1970 with a fraction.
    private static func seconds(at index: Int?, of document: JSONDocument) -> WallTime? {
        guard let index, case .number(let seconds) = document.nodes[index], 100_000_000..<100_000_000_000 ~= seconds
        else {
            return nil
        }
        return WallTime(microseconds: Int64(seconds * 1_000_000))
    }
}
