/// What went through the radio since it was started.
public struct RadioCounters: Hashable, Sendable {
    /// Packets handed to the owner.
    public var packets: UInt64 = 0
    /// Packets that the kernel dropped because they were not read in time.
    public var dropped: UInt64 = 0
    /// What was done about adapters that did not scan.
    public var recoveries = RecoveryCounts()

    public init() {}
}
