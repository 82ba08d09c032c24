/// What the host asked the scanner for.
struct Scan: Equatable {
    /// The commands it was asked with, which is also the form that reports take.
    var family: Opcode.Family
    /// Whether an advertiser is reported only once while the scan lasts.
    var filtersDuplicates: Bool
}
