import Core

/// One command on the way to scanning.
enum ScanStep: Hashable, Sendable {
    /// Tells the family to begin with, and is the question that only a working controller answers.
    case readFeatures
    case disable(CommandFamily)
    case setParameters(CommandFamily)
    case enable(CommandFamily)

    var opcode: Opcode {
        switch self {
        case .readFeatures: LEReadLocalSupportedFeatures.opcode
        case .disable(.legacy), .enable(.legacy): LESetScanEnable.opcode
        case .disable(.extended), .enable(.extended): LESetExtendedScanEnable.opcode
        case .setParameters(.legacy): LESetScanParameters.opcode
        case .setParameters(.extended): LESetExtendedScanParameters.opcode
        }
    }

    /// The command packet. Duplicates are never filtered, because every report's RSSI counts.
    package func packet(type: ScanType, timing: ScanTiming) -> [UInt8] {
        switch self {
        case .readFeatures: LEReadLocalSupportedFeatures().packet
        case .disable(.legacy): LESetScanEnable(isEnabled: false).packet
        case .disable(.extended): LESetExtendedScanEnable(isEnabled: false).packet
        case .setParameters(.legacy): LESetScanParameters(type: type, timing: timing).packet
        case .setParameters(.extended):
            LESetExtendedScanParameters(le1M: .init(type: type, timing: timing)).packet
        case .enable(.legacy): LESetScanEnable(isEnabled: true).packet
        case .enable(.extended): LESetExtendedScanEnable(isEnabled: true).packet
        }
    }
}
