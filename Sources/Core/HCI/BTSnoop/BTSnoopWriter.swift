/// Builds a capture that `BTSnoopReader`, `btmon -r` and Wireshark read: datalink 1002, HCI UART.
package enum BTSnoopWriter {
    /// The 16 octets that a capture begins with.
    package static var header: [UInt8] {
        BTSnoop.magic + bigEndian(BTSnoop.version) + bigEndian(BTSnoop.Datalink.uart.rawValue)
    }

    /// One record with an HCI event packet, from its event code on, received at `time`.
    package static func record(event: [UInt8], at time: WallTime) -> [UInt8] {
        let receivedEvent: UInt32 = 0b11
        let length = bigEndian(UInt32(truncatingIfNeeded: event.count + 1))
        let time_us = UInt64(bitPattern: time.microseconds.addingSaturating(BTSnoop.unixEpoch_us))
        let drops: UInt32 = 0
        let words = [
            receivedEvent, drops, UInt32(truncatingIfNeeded: time_us >> 32), UInt32(truncatingIfNeeded: time_us),
        ]
        return length + length + words.flatMap(bigEndian) + [0x04] + event
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) }
    }
}
