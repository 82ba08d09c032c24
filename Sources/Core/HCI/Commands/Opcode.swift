/// The number of an HCI command.
///
/// Core 5.4, Vol 4, Part E, 5.4.1:
///
///     bits 15...10  OGF, the group
///     bits 9...0    OCF, the command within the group
package struct Opcode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// HCI_Reset: everything that any host process set up in the controller is gone after it.
    package static let reset = Opcode(rawValue: 0x0C03)
}

extension Opcode: CustomStringConvertible {
    /// Four hexadecimal digits: `0x200C`.
    package var description: String {
        let digits = String(rawValue, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
