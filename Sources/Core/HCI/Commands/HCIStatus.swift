/// The outcome of an HCI command: 0x00, or an error code of Core 5.4, Vol 1, Part F.
package struct HCIStatus: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let success = HCIStatus(rawValue: 0x00)
    /// The controller does not know the command, whatever its feature bits say.
    static let unknownCommand = HCIStatus(rawValue: 0x01)
    static let hardwareFailure = HCIStatus(rawValue: 0x03)
    static let memoryCapacityExceeded = HCIStatus(rawValue: 0x07)
    /// Right command, wrong moment: parameters while scanning is on, or a legacy command after an extended one.
    package static let commandDisallowed = HCIStatus(rawValue: 0x0C)
    static let unsupportedFeature = HCIStatus(rawValue: 0x11)
    package static let invalidParameters = HCIStatus(rawValue: 0x12)
    package static let unspecifiedError = HCIStatus(rawValue: 0x1F)
    static let controllerBusy = HCIStatus(rawValue: 0x3A)
    static let unknownAdvertisingIdentifier = HCIStatus(rawValue: 0x42)
}

extension HCIStatus: CustomStringConvertible {
    /// The specification's name and the code: `Command Disallowed (0x0C)`.
    package var description: String {
        let digits = String(rawValue, radix: 16, uppercase: true)
        let code = "(0x" + (rawValue < 0x10 ? "0" : "") + digits + ")"
        return switch self {
        case .success: "Success " + code
        case .unknownCommand: "Unknown HCI Command " + code
        case .hardwareFailure: "Hardware Failure " + code
        case .memoryCapacityExceeded: "Memory Capacity Exceeded " + code
        case .commandDisallowed: "Command Disallowed " + code
        case .unsupportedFeature: "Unsupported Feature or Parameter Value " + code
        case .invalidParameters: "Invalid HCI Command Parameters " + code
        case .unspecifiedError: "Unspecified Error " + code
        case .controllerBusy: "Controller Busy " + code
        case .unknownAdvertisingIdentifier: "Unknown Advertising Identifier " + code
        default: "Status " + code
        }
    }
}
