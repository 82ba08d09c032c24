@testable import Core

/// The scan that the host asked for.
struct Scan: Equatable {
    /// The family of the commands, which is also the form of the reports.
    var family: KnownCommand.Family
    /// Whether an advertiser is reported only once during the scan.
    var filtersDuplicates: Bool
}

extension Scan {
    /// The request of an enable command of either family.
    enum Request: Equatable {
        case on(Scan)
        case off

        /// `nil` where the command does not allow the parameters.
        init?(_ command: KnownCommand, _ parameters: Span<UInt8>) {
            switch command {
            case .leSetScanEnable:
                guard let enable = ScanEnable(.legacy, parameters: parameters) else { return nil }
                let scan = Scan(family: .legacy, filtersDuplicates: enable.filtersDuplicates)
                self = enable.isEnabled ? .on(scan) : .off
            case .leSetExtendedScanEnable:
                guard let enable = ScanEnable(.extended, parameters: parameters) else { return nil }
                let scan = Scan(family: .extended, filtersDuplicates: enable.filtersDuplicates)
                self = enable.isEnabled ? .on(scan) : .off
            default: return nil
            }
        }
    }
}
