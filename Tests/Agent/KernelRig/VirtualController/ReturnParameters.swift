@testable import Core

/// The virtual controller's answers to successful commands, status included.
///
/// Core 5.4, Vol 4, Part E, 7.3, 7.4 and 7.8; offsets count from the status octet, which is 0.
enum ReturnParameters {
    static func of(_ command: KnownCommand, _ identity: ControllerIdentity) -> [UInt8] {
        switch command {
        case .readLocalVersion:
            // Version 9 of HCI and LMP is 5.0, and company 0x05F1 The Linux Foundation.
            return octets(9, [1: 9, 4: 9, 5: 0xF1, 6: 0x05])
        case .readLocalCommands:
            return supportedCommands(identity)
        case .readLocalFeatures:
            // Octet 4 of the LMP features: LE supported, BR/EDR not supported.
            return octets(9, [1 + 4: 0x60])
        case .readBufferSize:
            return octets(8, [1: 0xC0, 4: 0x01])
        case .readAddress:
            return [0] + identity.address.bits.littleEndianOctets.prefix(6)
        case .readLocalName:
            let name = Array(identity.name.utf8.prefix(247))
            return [0] + name + [UInt8](repeating: 0, count: 248 - name.count)
        case .leReadBufferSize:
            return octets(4, [1: 27, 3: 1])
        case .leReadLocalFeatures:
            let features: LEFeatures = identity.hasExtendedAdvertising ? .extendedAdvertising : []
            return [0] + features.rawValue.littleEndianOctets
        case .leReadAdvertisingTransmitPower, .leSetExtendedAdvertisingParameters:
            return octets(2, [:])
        case .leReadFilterAcceptListSize:
            return octets(2, [1: 8])
        case .leRandom:
            // Linux mixes it with its own entropy; a constant makes runs repeatable.
            return octets(9, [1: 0x5A, 8: 0xA5])
        case .leReadSupportedStates:
            return [0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0]
        case .leReadMaximumAdvertisingDataLength:
            return octets(3, [1: 251])
        case .leReadNumberOfAdvertisingSets:
            return octets(2, [1: 4])
        default:
            return [0]
        }
    }

    /// The command bits of Vol 4, Part E, 6.27.
    private static func supportedCommands(_ identity: ControllerIdentity) -> [UInt8] {
        var bits: [Int: UInt8] = [
            1 + 5: 0xC0,  // Set Event Mask, Reset
            1 + 14: 0xA8,  // Read Local Version Information, Supported Features, Buffer Size
            1 + 15: 0x02,  // Read BD_ADDR
            1 + 25: 0xF7,  // LE Set Event Mask … LE Set Advertising Data
            1 + 26: 0xCF,  // LE Set Scan Response Data … LE Set Scan Enable, filter accept list size and clear
            1 + 27: 0x80,  // LE Rand
            1 + 28: 0x08,  // LE Read Supported States
        ]
        if identity.hasExtendedAdvertising {
            bits[1 + 36] = 0xFE  // LE Set Advertising Set Random Address … LE Read Number of Advertising Sets
            bits[1 + 37] = 0x63  // LE Remove and Clear Advertising Sets, extended scan parameters and enable
        }
        return octets(65, bits)
    }

    private static func octets(_ count: Int, _ values: [Int: UInt8]) -> [UInt8] {
        (0..<count).map { values[$0, default: 0] }
    }
}
