/// What a store's `health` says of the gateways that it is made of.
public struct StoreFigures: Hashable, Sendable {
    /// Whether a gateway can hear. The raw value is the word in the message.
    public enum Hearing: String, CaseIterable, Sendable {
        case hears
        /// Its radio does not scan.
        case blind
        case offline
        /// It is listed, and nothing came from it yet.
        case silent
    }

    /// One gateway.
    public struct Gateway: Hashable, Sendable {
        public var id: String
        public var hearing: Hearing
        /// By how much its clock is ahead of the store's, seconds; `nil` where its clock is not synced, or nothing came yet.
        public var clockAhead_s: Double?

        public init(id: String, hearing: Hearing, clockAhead_s: Double? = nil) {
            self.id = id
            self.hearing = hearing
            self.clockAhead_s = clockAhead_s
        }
    }

    /// Messages that came too late to change anything.
    public var late: UInt64
    /// Messages that could not be read.
    public var malformed: UInt64
    /// In the order of the configuration; those that it does not list as they came.
    public var gateways: [Gateway]

    public init(late: UInt64, malformed: UInt64, gateways: [Gateway]) {
        self.late = late
        self.malformed = malformed
        self.gateways = gateways
    }
}
