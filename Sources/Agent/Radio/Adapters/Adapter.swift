import Core

/// A Bluetooth adapter as the kernel lists it.
package struct Adapter: Hashable, Sendable {
    /// The N of `hciN`. It may be another one after the adapter was unplugged.
    var index: UInt16
    /// Zero until the adapter has been set up.
    package var address: DeviceAddress
    /// Powered; only then does it take commands.
    var isUp: Bool
    /// Held by a radio kill switch.
    var isBlocked: Bool

    package init(index: UInt16, address: DeviceAddress, isUp: Bool, isBlocked: Bool) {
        self.index = index
        self.address = address
        self.isUp = isUp
        self.isBlocked = isBlocked
    }

    package var name: String { "hci\(index)" }
}
