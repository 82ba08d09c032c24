/// What an advertisement looks like apart from the frame: a device's stays as it is when the address changes.
struct AdvertisingTraits: Hashable, Sendable {
    private let bits: UInt64

    /// Nothing is known.
    static let none = AdvertisingTraits(bits: 0)

    private init(bits: UInt64) {
        self.bits = bits
    }

    /// The kind of report and of address, the advertising set, and how much data there is: other structures beside the
    /// frame, such as Flags or TX Power Level, make it longer.
    init(_ report: AdvertisingReport, length: Int) {
        bits =
            UInt64(report.eventType) | UInt64(report.advertisingSID) << 16 | (report.isExtended ? 1 : 0) << 24
            | (report.address.bits >> 46) << 25 | UInt64(clamping: length) << 32
    }
}

/// What is remembered of a transmitter for the day that its address changes. Most of a shop's own beacons keep theirs, and a
/// trace is as long as a sixth of a transmitter, so traces have a table of their own.
struct RotationTrace: Sendable {
    /// What its first advertisement looked like apart from the frame.
    let traits: AdvertisingTraits
    /// How strong it was in the last seconds.
    var recentLevel = RecentLevel()
}

/// Where the trace of a transmitter stands in `Rotation`.
struct TraceSlot: SlotNumber {
    let number: UInt32
}
