/// An adapter whose signal strengths are none: what `health` says under `suspect_readings`.
///
/// It is told from the adapter's own readings, so only what no room makes is named. Nothing is filtered because of it.
public struct SuspectReadings: Hashable, Sendable {
    /// What is wrong with them.
    public enum Kind: String, CaseIterable, Sendable {
        /// One value, of whatever transmitter.
        case stuck
        /// A report has the strength of the one before it, which was another transmitter's.
        case repeated
        /// Some readings are 15 dB below the others of the same transmitter, as where one channel's are.
        case twoLevels = "two_levels"
    }

    /// As the configuration names it.
    public var adapter: String
    public var kind: Kind

    public init(adapter: String, kind: Kind) {
        self.adapter = adapter
        self.kind = kind
    }
}
