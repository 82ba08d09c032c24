/// What the radio and the capture are doing while somebody looks at the table.
package struct ScanStatus: Hashable, Sendable {
    /// The adapters that were asked for: `hci0 (00:1A:7D:DA:71:13)`, or `auto`.
    package var adapters: String
    /// `nil` until it is known.
    package var availability: RadioAvailability?
    /// One sentence; empty where nothing is to be done.
    package var remedy: String
    /// What became of `--write`: `room.btsnoop: 1234 events`; empty without it.
    var capture: String
    /// What the radio said last, such as a command that was refused; empty where it said nothing.
    var notice: String
    /// Packets that the kernel dropped because they were not read in time.
    var dropped: UInt64
    /// `nil` where nobody asked where the gateway is.
    package var location: ScanLocation?

    package init(
        adapters: String, availability: RadioAvailability? = nil, remedy: String = "", capture: String = "",
        notice: String = "", dropped: UInt64 = 0, location: ScanLocation? = nil
    ) {
        self.adapters = adapters
        self.availability = availability
        self.remedy = remedy
        self.capture = capture
        self.notice = notice
        self.dropped = dropped
        self.location = location
    }
}
