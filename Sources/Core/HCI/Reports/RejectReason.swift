/// Why bytes from the air or from the controller were skipped.
///
/// The raw value is the name under which `health` counts it.
enum RejectReason: String, CaseIterable, Sendable {
    /// An advertising event that announces no reports.
    case noReports = "no_reports"
    /// A report runs past the end of its event, or is announced and not there; the reports before it are kept.
    case truncatedReport = "truncated_report"
    /// A legacy report with more than 31 data octets.
    case oversizedData = "oversized_data"
    /// An address type that the specification does not know.
    case unknownAddressType = "unknown_address_type"
    /// An advertising data structure whose length runs past the payload; the structures before it are kept.
    case overrunningStructure = "overrunning_structure"
    /// A chain of extended reports longer than the 1650 octets that the specification allows.
    case oversizedChain = "oversized_chain"
    /// Apple's iBeacon prefix with fewer than 21 octets behind it.
    case truncatedBeacon = "truncated_beacon"
}

/// How often each `RejectReason` occurred.
package struct RejectCounts: Equatable, Sendable {
    /// One for each reason, in place: a report that is skipped must not cost an allocation.
    private var counts = InlineArray<7, UInt64>(repeating: 0)

    package init() {}

    /// All reasons together.
    package var total: UInt64 {
        var total: UInt64 = 0
        for index in counts.indices { total &+= counts[index] }
        return total
    }

    /// How often one reason occurred.
    subscript(reason: RejectReason) -> UInt64 {
        get { counts[Self.index(of: reason)] }
        set { counts[Self.index(of: reason)] = newValue }
    }

    /// It occurred once more.
    mutating func count(_ reason: RejectReason) {
        counts[Self.index(of: reason)] &+= 1
    }

    package static func == (left: RejectCounts, right: RejectCounts) -> Bool {
        left.counts.indices.allSatisfy { left.counts[$0] == right.counts[$0] }
    }

    /// Adds what another counted.
    mutating func add(_ other: RejectCounts) {
        for index in counts.indices { counts[index] &+= other.counts[index] }
    }

    private static func index(of reason: RejectReason) -> Int {
        switch reason {
        case .noReports: 0
        case .truncatedReport: 1
        case .oversizedData: 2
        case .unknownAddressType: 3
        case .overrunningStructure: 4
        case .oversizedChain: 5
        case .truncatedBeacon: 6
        }
    }
}
