import Core

/// One command on the way to advertising, or back.
package enum AdvertisingStep: Hashable, Sendable {
    case readFeatures
    case setParameters(CommandFamily)
    case setData(CommandFamily)
    case enable(CommandFamily)
    case disable(CommandFamily)
    /// Only for the extended commands: gives the controller's memory back.
    case removeSet

    var opcode: Opcode {
        switch self {
        case .readFeatures: LEReadLocalSupportedFeatures.opcode
        case .setParameters(.legacy): LESetAdvertisingParameters.opcode
        case .setParameters(.extended): LESetExtendedAdvertisingParameters.opcode
        case .setData(.legacy): LESetAdvertisingData.opcode
        case .setData(.extended): LESetExtendedAdvertisingData.opcode
        case .enable(.legacy), .disable(.legacy): LESetAdvertisingEnable.opcode
        case .enable(.extended), .disable(.extended): LESetExtendedAdvertisingEnable.opcode
        case .removeSet: LERemoveAdvertisingSet.opcode
        }
    }

    /// The family that the step belongs to; `nil` while none is chosen.
    var family: CommandFamily? {
        switch self {
        case .readFeatures: nil
        case .setParameters(let family), .setData(let family), .enable(let family), .disable(let family): family
        case .removeSet: .extended
        }
    }
}
