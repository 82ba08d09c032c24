/// The messages of Minew's gateways (G1, MG3, MG4): binary, or JSON. They give no time of a packet.
///
/// Binary, as `barnowl-minew` at commit of 2023 reads it; numbers are big-endian:
///
///     octets 0…1     0xBB01
///     octets 2…5     length of the message
///     octets 6…11    address of the gateway
///     octets 12…13   number of transmitters; for each of them:
///       octets 0…5     address
///       octets 6…7     number of its packets; for each of them:
///         octet 0        length n of the advertising data
///         octets 1…n     advertising data
///         octet n+1      bit 0 scan response; bits 1 and 2 random address
///         octet n+2      RSSI, signed
///     last octet     0xDD
///
/// Connect, 0xBB02; numbers are little-endian:
///
///     octets 6…9     length of the message
///     octets 14…15   0x843E
///     octets 20…     packets, the length of each in front of it, two octets:
///       octet 0        number of the radio
///       octet 1        flags
///       octets 2…7     address, most significant octet first
///       octet 8        RSSI, signed
///       octet 9        length n of the advertising data
///       octets 10…9+n  advertising data; behind it, angles of arrival
///
/// JSON: a list. `type` of the first element is `Gateway`, `timestamp` its time of the message in UTC; each other element
/// has `mac`, `rssi`, `rawData` in hexadecimal.
enum MinewFormat {
    private static let fault = ReceiverRefusal(
        .useless("set the format of Minew's gateway to BIN-LONG or JSON-LONG, so that each packet has rawData"))

    static func read(_ payload: [UInt8]) throws(ReceiverRefusal) -> ReceiverMessage {
        let first = payload.first { !JSONReader.isSpace($0) }
        if first == UInt8(ascii: "[") { return try readJSON(payload) }
        var reader = OctetReader(payload)
        guard try reader.byte() == 0xBB else { throw .malformed("neither 0xBB nor a JSON list") }
        switch try reader.byte() {
        case 0x01: return try readBinary(&reader, payload)
        case 0x02: return try readConnect(&reader, payload)
        default: throw .malformed("neither kind 0x01 nor 0x02", at: 1)
        }
    }

    private static func readBinary(
        _ reader: inout OctetReader, _ payload: [UInt8]
    ) throws(ReceiverRefusal) -> ReceiverMessage {
        guard try reader.number(4) == payload.count else {
            throw .malformed("the length is not that of the message", at: 2)
        }
        guard payload.last == 0xDD else { throw .malformed("the last octet is not 0xDD", at: payload.count - 1) }
        _ = try reader.octets(6)
        var message = ReceiverMessage()
        for _ in 0..<(try reader.number(2)) {
            let bits = UInt64(try reader.number(6))
            for _ in 0..<(try reader.number(2)) {
                guard message.packets.count <= ReceivedPacket.mostInMessage else {
                    throw ReceiverRefusal(.tooManyPackets)
                }
                let data = try reader.octets(Int(try reader.byte()))
                let kind = try reader.byte()
                let rssi_dbm = receivedStrength(try reader.byte())
                let address = DeviceAddress(bits: bits, type: kind & 0x06 == 0 ? .public : .random)
                let isScanResponse = kind & 0x01 != 0
                message.append(
                    address, rssi_dbm: rssi_dbm, data: isScanResponse ? nil : data,
                    scanResponse: isScanResponse ? data : nil, at: nil, orElse: fault)
            }
        }
        guard reader.rest == 1 else { throw .malformed("octets behind the last transmitter", at: reader.index) }
        return message
    }

    private static func readConnect(
        _ reader: inout OctetReader, _ payload: [UInt8]
    ) throws(ReceiverRefusal) -> ReceiverMessage {
        _ = try reader.octets(4)
        guard try reader.littleEndian(4) == payload.count else {
            throw .malformed("the length is not that of the message", at: 6)
        }
        _ = try reader.octets(4)
        guard try reader.number(2) == 0x843E else { throw .malformed("not 0x843E", at: 14) }
        _ = try reader.octets(4)
        var message = ReceiverMessage()
        while reader.rest > 0 {
            guard message.packets.count <= ReceivedPacket.mostInMessage else { throw ReceiverRefusal(.tooManyPackets) }
            var packet = OctetReader(Array(try reader.octets(try reader.littleEndian(2))), offset: reader.index)
            _ = try packet.octets(2)
            let address = DeviceAddress(bits: UInt64(try packet.number(6)), type: .random)
            let rssi_dbm = receivedStrength(try packet.byte())
            let data = try packet.octets(Int(try packet.byte()))
            message.append(address, rssi_dbm: rssi_dbm, data: data, at: nil, orElse: fault)
        }
        return message
    }

    private static func readJSON(_ payload: [UInt8]) throws(ReceiverRefusal) -> ReceiverMessage {
        let document = try JSONDocument.ofReceiver(payload)
        let elements = document.elements(of: 0)
        guard let first = elements.first, let type = document.field("type", of: first),
            document.isText("Gateway", at: type)
        else { throw .malformed("the first element is no object whose type is Gateway") }
        var message = ReceiverMessage()
        let time = document.field("timestamp", of: first)
        message.isDated = time != nil
        message.sentAt = time.flatMap { document.text(at: $0) }.flatMap(Timestamp.anyTime)
        var isWithoutData = false
        for element in elements.dropFirst() {
            // A sensor's element has its readings instead.
            guard let data = document.field("rawData", of: element) else {
                isWithoutData = true
                continue
            }
            guard let address = document.address(at: document.field("mac", of: element)) else {
                message.fault = fault
                continue
            }
            message.append(
                address, rssi_dbm: document.rssi(at: document.field("rssi", of: element)),
                data: document.hexadecimal(at: data), at: nil, orElse: fault)
        }
        if message.packets.isEmpty, isWithoutData { message.fault = fault }
        return message
    }
}

/// Reads a binary message from its beginning. A read beyond the end is refused.
struct OctetReader {
    private let octets: [UInt8]
    /// The place of the first octet in the whole message.
    private let offset: Int
    private var next = 0

    init(_ octets: [UInt8], offset: Int = 0) { (self.octets, self.offset) = (octets, offset) }

    var index: Int { offset + next }

    /// The number of octets that are left.
    var rest: Int { octets.count - next }

    mutating func octets(_ count: Int) throws(ReceiverRefusal) -> [UInt8] {
        guard count <= rest else { throw .malformed("octets are missing here", at: index) }
        defer { next += count }
        return Array(octets[next..<next + count])
    }

    mutating func byte() throws(ReceiverRefusal) -> UInt8 { try octets(1)[0] }

    /// Reads a number of at most seven octets, most significant first.
    mutating func number(_ count: Int) throws(ReceiverRefusal) -> Int {
        try octets(count).reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func littleEndian(_ count: Int) throws(ReceiverRefusal) -> Int {
        try octets(count).reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
