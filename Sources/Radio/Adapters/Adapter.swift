public import HCI

/// A Bluetooth adapter as the kernel lists it.
public struct Adapter: Hashable, Sendable {
    /// The N of `hciN`. It may be another one after the adapter was unplugged.
    public var index: UInt16
    /// Zero until the adapter has been set up.
    public var address: DeviceAddress
    /// Powered; only then does it take commands.
    public var isUp: Bool
    /// Held by a radio kill switch.
    public var isBlocked: Bool

    public init(index: UInt16, address: DeviceAddress, isUp: Bool, isBlocked: Bool) {
        self.index = index
        self.address = address
        self.isUp = isUp
        self.isBlocked = isBlocked
    }

    public var name: String { "hci\(index)" }
}
