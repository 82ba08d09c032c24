/// The layout of a receiver's messages. The raw value is the word in `config.toml`.
package enum ReceiverFormat: String, CaseIterable, Sendable {
    case minew
    case moko
    case cassia
    case shelly

    /// Reads one message of a receiver.
    ///
    /// A message with packets of which none is of use is refused.
    ///
    /// - Parameter payload: `nil` where it was too long to be kept.
    package func read(_ payload: [UInt8]?) throws(ReceiverRefusal) -> ReceiverMessage {
        guard let payload, payload.count <= ReceivedPacket.mostOctets else { throw ReceiverRefusal(.tooLong) }
        var message =
            switch self {
            case .minew: try MinewFormat.read(payload)
            case .moko: try MokoFormat.read(payload)
            case .cassia: try CassiaFormat.read(payload)
            case .shelly: try ShellyFormat.read(payload)
            }
        guard message.packets.count <= ReceivedPacket.mostInMessage else { throw ReceiverRefusal(.tooManyPackets) }
        if message.packets.isEmpty {
            if let fault = message.fault { throw fault }
        } else {
            message.fingerprint = payload.hashValue
        }
        return message
    }

    /// Returns the other format that finds packets in a message; `nil` where none does.
    package func other(thatReads payload: [UInt8]) -> ReceiverFormat? {
        Self.allCases.first { format in
            guard format != self, let message = try? format.read(payload) else { return false }
            return !message.packets.isEmpty
        }
    }

    /// A remark for a log about a message that this format refuses; empty where no other one reads it.
    package func hint(of payload: [UInt8]) -> String {
        other(thatReads: payload).map { "; it is a message of receiver.format = \"\($0.rawValue)\"" } ?? ""
    }
}

/// The content of a receiver's message.
package struct ReceiverMessage: Sendable {
    /// In the order of the message; empty for a heartbeat or a status.
    package var packets: [ReceivedPacket] = []
    /// True if the message contains a time, so that two equal messages are one that came twice.
    var isDated = false
    /// The receiver's time of the message, where its packets have none to the millisecond. It shows the message's age.
    var sentAt: WallTime?
    /// The cause why some packets are of no use; `nil` where each one is. A packet without data is of use.
    package var fault: ReceiverRefusal?
    /// The number by which an equal payload is known; `nil` without packets.
    var fingerprint: Int?

    /// The latest of the receiver's times; `nil` without any.
    var newest: WallTime? { packets.compactMap(\.time).max() ?? sentAt }

    /// Adds an advertisement and its scan response, where they have data.
    ///
    /// - Parameters:
    ///   - data: `nil` where the packet has none, or none that can be read; empty for a packet without content.
    ///   - fault: the cause where neither the data nor the scan response can be read.
    mutating func append(
        _ address: DeviceAddress, rssi_dbm: Int8?, data: [UInt8]?, scanResponse: [UInt8]? = nil, at time: WallTime?,
        isTimeOfBatch: Bool = false, orElse fault: ReceiverRefusal
    ) {
        if data == nil, scanResponse == nil { self.fault = fault }
        for (octets, isScanResponse) in [(data, false), (scanResponse, true)] {
            guard let octets, !octets.isEmpty else { continue }
            guard octets.count <= ReceivedPacket.mostData else {
                self.fault = fault
                continue
            }
            packets.append(
                ReceivedPacket(
                    address: address, rssi_dbm: rssi_dbm, data: octets, isScanResponse: isScanResponse, time: time,
                    isTimeOfBatch: isTimeOfBatch))
        }
    }
}

/// An advertising packet that a receiver heard.
package struct ReceivedPacket: Hashable, Sendable {
    /// The longest message of a receiver, in octets, and the most packets in it.
    package static let mostOctets = 1 << 20
    static let mostInMessage = 2_000
    /// The most advertising data of one report, in octets: that of an LE Extended Advertising Report.
    static let mostData = 229

    package var address: DeviceAddress
    /// `nil` where the receiver gave none, or one that the specification does not allow.
    var rssi_dbm: Int8?
    package var data: [UInt8]
    var isScanResponse = false
    /// The receiver's own time of the packet, where it gives one to the millisecond.
    package var time: WallTime?
    /// The receiver gives one time for all packets of a batch, that of its end.
    var isTimeOfBatch = false

    /// True if it holds an iBeacon's frame.
    package var isIBeacon: Bool {
        var isFound = false
        _ = ADStructures.forEach(in: data.span) { type, content in
            isFound =
                isFound
                || type == IBeaconFrame.manufacturerSpecificData && content.count >= IBeaconFrame.length
                    && IBeaconFrame.hasPrefix(content)
        }
        return isFound
    }

    /// The packet as a controller would have reported it: H4 packet type, event code, length, one report.
    ///
    /// A legacy report carries up to 31 octets of data, an extended one more.
    package var event: [UInt8] {
        // An extended one is of no legacy PDU: not connectable, not scannable, the data complete.
        let isExtended = data.count > LegacyReport.maxDataLength
        let report = AdvertisingReport(
            isExtended: isExtended, eventType: isScanResponse ? (isExtended ? 0x08 : 0x04) : 0x00, address: address,
            rssi_dbm: rssi_dbm)
        return [PacketType.event.rawValue] + AdvertisingReportEncoder.event([(report, data)])
    }
}

/// The reason for which a receiver's message was not read.
package struct ReceiverRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        /// More than `ReceivedPacket.mostOctets`.
        case tooLong
        /// More than `ReceivedPacket.mostInMessage`.
        case tooManyPackets
        /// A message of another layout, or a damaged one.
        case malformed(String)
        /// Packets without an address, or without advertising data that can be read: what to set at the device.
        case useless(String)
    }

    /// One of few, so that a log can name each once.
    package let reason: Reason
    /// The place of the problem in the message, in octets.
    let offset: Int

    init(_ reason: Reason, at offset: Int = 0) { (self.reason, self.offset) = (reason, offset) }

    /// - Parameter problem: one of few texts, without numbers out of the message.
    static func malformed(_ problem: String, at offset: Int = 0) -> ReceiverRefusal {
        ReceiverRefusal(.malformed(problem), at: offset)
    }

    package var description: String {
        switch reason {
        case .tooLong: "a message of more than \(ReceivedPacket.mostOctets) octets: let the receiver publish more often"
        case .tooManyPackets:
            "a message of more than \(ReceivedPacket.mostInMessage) packets: let the receiver publish more often"
        case .malformed(let problem):
            "octet \(offset): \(problem); compare receiver.format with what the receiver is set to publish"
        case .useless(let remedy): "packets without an address or advertising data: \(remedy)"
        }
    }
}

/// The parts that the JSON formats share.
extension JSONDocument {
    static func ofReceiver(_ payload: [UInt8]) throws(ReceiverRefusal) -> JSONDocument {
        do throws(JSONError) {
            return try JSONReader.read(payload)
        } catch {
            throw .malformed("no valid JSON: \(error.problem)", at: error.offset)
        }
    }

    /// Returns the value of an object's field; `nil` where there is none, or no object.
    func field(_ key: StaticString, of index: Int?) -> Int? {
        guard let index, case .object(let end) = nodes[index] else { return nil }
        var next = index + 1
        while next + 1 < end {
            if isText(key, at: next) { return next + 1 }
            next = self.end(of: next + 1)
        }
        return nil
    }

    /// Returns the elements of a list; empty for any other value.
    func elements(of index: Int?) -> [Int] {
        guard let index, case .array(let end) = nodes[index] else { return [] }
        var (found, next): ([Int], Int) = ([], index + 1)
        while next < end {
            found.append(next)
            next = self.end(of: next)
        }
        return found
    }

    func integer(at index: Int?) -> Int64? {
        guard let index else { return nil }
        return switch nodes[index] {
        case .integer(let integer): integer
        case .number(let number): Int64(exactly: number)
        default: nil
        }
    }

    /// Returns an RSSI in dBm; `nil` where there is none from −127 to 20.
    func rssi(at index: Int?) -> Int8? {
        guard let rssi = integer(at: index), -127...20 ~= rssi else { return nil }
        return Int8(rssi)
    }

    /// Returns a time in whole milliseconds since 1970.
    func milliseconds(at index: Int?) -> WallTime? {
        // In seconds, this would be a time after the year 5000.
        guard let time_ms = integer(at: index), 100_000_000_000..<100_000_000_000_000 ~= time_ms else { return nil }
        return WallTime(microseconds: time_ms * 1_000)
    }

    /// Returns an address of twelve hexadecimal digits, with colons or without.
    ///
    /// - Parameter isRandom: `nil` where the receiver does not say. Then the address counts as random, because only a
    ///   random address rotates.
    func address(at index: Int?, isRandom: Bool? = nil) -> DeviceAddress? {
        guard let index, let octets = hexadecimal(at: index, separator: UInt8(ascii: ":")), octets.count == 6 else {
            return nil
        }
        let bits = octets.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return DeviceAddress(bits: bits, type: isRandom == false ? .public : .random)
    }

    /// Returns the octets of a text of hexadecimal digits, of at most `ReceivedPacket.mostData` octets.
    func hexadecimal(at index: Int?, separator: UInt8? = nil) -> [UInt8]? {
        guard let index, case .string(let range) = nodes[index] else { return nil }
        guard range.count <= 2 * ReceivedPacket.mostData else { return nil }
        return [UInt8](hexadecimal: octets[range].lazy.filter { $0 != separator })
    }

    /// Returns the octets of a text in Base64, of at most `ReceivedPacket.mostData` octets.
    func base64(at index: Int?) -> [UInt8]? {
        guard let index, let text = text(at: index) else { return nil }
        if text.isEmpty { return [] }
        guard let octets = Base64.decode(text), octets.count <= ReceivedPacket.mostData else { return nil }
        return octets
    }
}
