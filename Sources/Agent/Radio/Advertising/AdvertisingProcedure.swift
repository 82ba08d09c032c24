import Core

/// The commands up to advertising, one at a time: features, parameters, data, enable.
///
/// Where parameters are disallowed, something is advertised already: what an earlier process left behind when it was
/// killed, or another process's own. It is switched off once and the parameters are tried again. With the extended
/// commands that concerns our own set only. Where a family of commands is refused, the other one is tried once.
struct AdvertisingProcedure: Hashable, Sendable {
    enum Progress: Hashable, Sendable {
        case next(AdvertisingStep)
        case advertising(CommandFamily)
        case refused(Opcode, HCIStatus)
    }

    private(set) var step: AdvertisingStep = .readFeatures
    private var triedOther = false
    private var cleared: Set<CommandFamily> = []

    mutating func answered(_ status: HCIStatus, features: LEFeatures?) -> Progress {
        switch step {
        case .readFeatures:
            let isExtended = features?.contains(.extendedAdvertising) ?? false
            return advance(to: .setParameters(isExtended ? .extended : .legacy))
        case .setParameters(let family):
            if status == .success { return advance(to: .setData(family)) }
            if status == .commandDisallowed, cleared.insert(family).inserted { return advance(to: .disable(family)) }
            return fallBack(from: family, status)
        case .disable(let family):
            // Whatever it says: what matters is whether the parameters are taken now.
            return advance(to: .setParameters(family))
        case .setData(let family):
            return status == .success ? advance(to: .enable(family)) : fallBack(from: family, status)
        case .enable(let family):
            return status == .success ? .advertising(family) : fallBack(from: family, status)
        case .removeSet:
            // No part of the way to advertising.
            return .refused(step.opcode, status)
        }
    }

    private mutating func advance(to step: AdvertisingStep) -> Progress {
        self.step = step
        return .next(step)
    }

    private mutating func fallBack(from family: CommandFamily, _ status: HCIStatus) -> Progress {
        if triedOther { return .refused(step.opcode, status) }
        triedOther = true
        return advance(to: .setParameters(family.other))
    }
}
