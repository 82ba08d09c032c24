@testable import Core

/// What the host asked the scanner for.
struct Scan: Equatable {
    /// The commands it was asked with, which is also the form that reports take.
    var family: KnownCommand.Family
    /// Whether an advertiser is reported only once while the scan lasts.
    var filtersDuplicates: Bool
}

extension Scan {
    /// What an enable command of either family asks for.
    enum Request: Equatable {
        case on(Scan)
        case off

        /// `nil` where the parameters are not what the command allows.
        init?(_ command: KnownCommand, _ parameters: Span<UInt8>) {
            switch command {
            case .leSetScanEnable:
                guard let enable = LESetScanEnable(parameters: parameters) else { return nil }
                let scan = Scan(family: .legacy, filtersDuplicates: enable.filtersDuplicates)
                self = enable.isEnabled ? .on(scan) : .off
            case .leSetExtendedScanEnable:
                guard let enable = LESetExtendedScanEnable(parameters: parameters) else { return nil }
                let scan = Scan(family: .extended, filtersDuplicates: enable.duplicateFilter != .off)
                self = enable.isEnabled ? .on(scan) : .off
            default: return nil
            }
        }
    }
}
