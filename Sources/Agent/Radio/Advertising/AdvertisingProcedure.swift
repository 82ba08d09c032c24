import Core

/// The commands that start advertising, one at a time: features, parameters, data, enable.
///
/// Where the controller disallows the parameters, it advertises already: for a process that was killed, or for another
/// process. The procedure switches that off once and sends the parameters again. With the extended commands only the
/// agent's own set is concerned. Where a family of commands is refused, the other one is tried once.
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
            // This answer does not matter: the answer to the parameters does.
            return advance(to: .setParameters(family))
        case .setData(let family):
            return status == .success ? advance(to: .enable(family)) : fallBack(from: family, status)
        case .enable(let family):
            return status == .success ? .advertising(family) : fallBack(from: family, status)
        case .removeSet:
            // No step on the way to advertising.
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

/// A command on the way to advertising, or back.
package enum AdvertisingStep: Hashable, Sendable {
    case readFeatures
    case setParameters(CommandFamily)
    case setData(CommandFamily)
    case enable(CommandFamily)
    case disable(CommandFamily)
    /// Frees the controller's memory; for the extended commands alone.
    case removeSet

    var opcode: Opcode {
        switch self {
        case .readFeatures: .readFeatures
        case .setParameters(let family): .advertisingParameters(family)
        case .setData(let family): .advertisingData(family)
        case .enable(let family), .disable(let family): .advertisingEnable(family)
        case .removeSet: .removeAdvertisingSet
        }
    }

    /// The family that the step belongs to; `nil` before one is chosen.
    var family: CommandFamily? {
        switch self {
        case .readFeatures: nil
        case .setParameters(let family), .setData(let family), .enable(let family), .disable(let family): family
        case .removeSet: .extended
        }
    }
}

package enum AdvertisingUpdate: Hashable, Sendable, CustomStringConvertible {
    case advertising(Adapter)
    /// No adapter can be used; advertising begins by itself once one can.
    case waiting(RadioAvailability)
    /// The advertisement is off the air, and the agent tries again.
    case trouble(AdvertisingTrouble)

    package var description: String {
        switch self {
        case .advertising(let adapter): "\(adapter.name) (\(adapter.address)): advertising"
        case .waiting(let availability): "\(availability.rawValue): \(availability.remedy)"
        case .trouble(let trouble): "\(trouble)"
        }
    }
}

/// A fault of advertising, or a disturbance by another process.
package enum AdvertisingTrouble: Error, Hashable, Sendable, CustomStringConvertible {
    case refused(Opcode, HCIStatus)
    /// No answer within 2 s.
    case unanswered(Opcode)
    /// Another process reset the controller, or changed what it advertises.
    case disturbed

    package var description: String {
        switch self {
        case .refused(let opcode, .commandDisallowed):
            "the controller refused advertising command \(opcode): another process is advertising; stop it first"
        case .refused(let opcode, .invalidParameters):
            "the controller refused advertising command \(opcode): before Bluetooth 5 the interval must be at least "
                + "100 ms"
        case .refused(let opcode, let status): "the controller refused advertising command \(opcode): \(status)"
        case .unanswered(let opcode):
            "the controller did not answer advertising command \(opcode): \(RadioAvailability.stalled.remedy)"
        case .disturbed: "another process stopped or changed the advertisement; starting it again"
        }
    }
}

/// An iBeacon advertisement: non-connectable and non-scannable, in legacy PDUs that every scanner hears, from the
/// adapter's public address.
package struct Advertisement: Hashable, Sendable {
    /// Outside the kernel's own sets, which count up from 0.
    static let handle: UInt8 = 0xEF
    /// The AD structure Flags: LE General Discoverable Mode, BR/EDR Not Supported.
    private static let flags: [UInt8] = [0x02, 0x01, 0x06]

    /// AD structures, 30 octets.
    let data: [UInt8]
    /// Units of 0.625 ms.
    private let interval: UInt16

    /// - Parameter interval_ms: the time between two advertising events, clamped to 20 ms to 10.24 s; Apple requires
    /// 100.
    package init(_ frame: IBeaconFrame, interval_ms: Double = 100) {
        data = Self.flags + frame.encodedStructure
        let range = HCICommand.advertisingIntervals
        let units = (interval_ms / 0.625).rounded()
        interval = units > Double(range.lowerBound) ? UInt16(min(units, Double(range.upperBound))) : range.lowerBound
    }

    /// The command packet of a step; `nil` where the data does not fit the command.
    package func packet(for step: AdvertisingStep) -> [UInt8]? {
        let command: HCICommand? =
            switch step {
            case .readFeatures: .readFeatures
            case .setParameters(let family): .advertisingParameters(family, handle: Self.handle, interval: interval)
            case .setData(let family): .advertisingData(family, handle: Self.handle, data)
            case .enable(let family): .advertisingEnable(family, handle: Self.handle, true)
            case .disable(let family): .advertisingEnable(family, handle: Self.handle, false)
            case .removeSet: .removeAdvertisingSet(handle: Self.handle)
            }
        return command?.packet
    }
}
