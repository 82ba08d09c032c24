import Core

/// A command that another process, or the kernel, sent to our controller.
enum ForeignCommand: Hashable, Sendable {
    case scanParameters
    case scanEnable(Bool, filtersDuplicates: Bool, CommandFamily)
    case reset

    /// `nil` where the command has nothing to do with scanning.
    init?(opcode: Opcode, parameters: Span<UInt8>) {
        switch opcode {
        case .reset:
            self = .reset
        case LESetScanParameters.opcode, LESetExtendedScanParameters.opcode:
            self = .scanParameters
        case LESetScanEnable.opcode:
            guard let command = LESetScanEnable(parameters: parameters) else { return nil }
            self = .scanEnable(command.isEnabled, filtersDuplicates: command.filtersDuplicates, .legacy)
        case LESetExtendedScanEnable.opcode:
            guard let command = LESetExtendedScanEnable(parameters: parameters) else { return nil }
            self = .scanEnable(command.isEnabled, filtersDuplicates: command.duplicateFilter != .off, .extended)
        default:
            return nil
        }
    }
}

/// What other processes have done to scanning, once they leave it alone.
///
/// bluetoothd switches scanning off, sets its parameters and switches it on within milliseconds. Stepping in between would
/// make its commands fail, so we wait until they have come to rest.
struct ForeignActivity: Hashable, Sendable {
    enum Remains: Hashable, Sendable {
        case unchanged
        case stopped
        case scanning(filtersDuplicates: Bool, CommandFamily)
    }

    /// How long other processes must have been still.
    static let rest = TimeSpan.milliseconds(200)

    private(set) var remains: Remains = .unchanged
    private(set) var restsAt: Instant

    init(_ command: ForeignCommand, at instant: Instant) {
        restsAt = instant
        note(command, at: instant)
    }

    mutating func note(_ command: ForeignCommand, at instant: Instant) {
        restsAt = instant + Self.rest
        switch command {
        case .scanParameters: break
        case .reset, .scanEnable(false, _, _): remains = .stopped
        case .scanEnable(true, let filtersDuplicates, let family):
            remains = .scanning(filtersDuplicates: filtersDuplicates, family)
        }
    }
}
