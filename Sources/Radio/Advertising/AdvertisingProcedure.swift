import HCI

/// The commands up to advertising, one at a time: features, parameters, data, enable. Where a family of commands is refused,
/// the other one is tried once.
struct AdvertisingProcedure: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        case readFeatures
        case setParameters(CommandFamily)
        case setData(CommandFamily)
        case enable(CommandFamily)
    }

    enum Progress: Hashable, Sendable {
        case next(Step)
        case advertising(CommandFamily)
        case refused(Opcode, HCIStatus)
    }

    private(set) var step: Step = .readFeatures
    private var triedOther = false

    mutating func answered(_ status: HCIStatus, features: LEFeatures?) -> Progress {
        switch step {
        case .readFeatures:
            let isExtended = features?.contains(.extendedAdvertising) ?? false
            return advance(to: .setParameters(isExtended ? .extended : .legacy))
        case .setParameters(let family):
            return status == .success ? advance(to: .setData(family)) : fallBack(from: family, status)
        case .setData(let family):
            return status == .success ? advance(to: .enable(family)) : fallBack(from: family, status)
        case .enable(let family):
            return status == .success ? .advertising(family) : fallBack(from: family, status)
        }
    }

    private mutating func advance(to step: Step) -> Progress {
        self.step = step
        return .next(step)
    }

    private mutating func fallBack(from family: CommandFamily, _ status: HCIStatus) -> Progress {
        if triedOther { return .refused(step.opcode, status) }
        triedOther = true
        return advance(to: .setParameters(family.other))
    }
}

extension AdvertisingProcedure.Step {
    var opcode: Opcode {
        switch self {
        case .readFeatures: LEReadLocalSupportedFeatures.opcode
        case .setParameters(.legacy): LESetAdvertisingParameters.opcode
        case .setParameters(.extended): LESetExtendedAdvertisingParameters.opcode
        case .setData(.legacy): LESetAdvertisingData.opcode
        case .setData(.extended): LESetExtendedAdvertisingData.opcode
        case .enable(.legacy): LESetAdvertisingEnable.opcode
        case .enable(.extended): LESetExtendedAdvertisingEnable.opcode
        }
    }
}
