import Core

/// What lives on the radio loop's thread and gets everything from it, one call at a time.
///
/// A report that ends blindness is preceded by the liveness that says so. From call to call, `instant` never goes back.
package protocol RadioOwner: SendableMetatype {
    /// An HCI event as it travels: 0x04, event code, length, parameters. Valid only during the call.
    ///
    /// - Parameter adapter: which of the configured adapters heard it, from 0 on.
    mutating func packet(_ packet: Span<UInt8>, from adapter: Int, at instant: Instant)

    /// Time has passed: called at the instant that the call before asked for, after every round of packets, and after
    /// `RadioLoop.wake()`.
    mutating func tick(at instant: Instant) -> EngineWait

    /// Called first of all, and whenever it changes: with several adapters, the liveness of the best of them.
    mutating func livenessChanged(to liveness: RadioLiveness, at instant: Instant)

    /// A controller has just scanned at our word: it hears.
    mutating func radioProved(at instant: Instant)

    /// Called once it is known, and whenever it changes: with several adapters, the availability of the best of them.
    mutating func availabilityChanged(to availability: RadioAvailability, at instant: Instant)

    /// Called about once a second.
    mutating func counted(_ counters: RadioCounters, at instant: Instant)

    /// Called last: nothing more is heard.
    mutating func stopped(at instant: Instant)
}

/// An owner that concludes nothing from silence.
extension RadioOwner {
    package mutating func radioProved(at instant: Instant) {}
}

/// What went through the radio since it was started.
package struct RadioCounters: Hashable, Sendable {
    /// Packets handed to the owner.
    var packets: UInt64 = 0
    /// Packets that the kernel dropped because they were not read in time.
    package var dropped: UInt64 = 0
    /// What was done about adapters that did not scan.
    var recoveries = RecoveryCounts()

    init() {}
}
