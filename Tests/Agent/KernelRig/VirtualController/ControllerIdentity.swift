@testable import Core

/// The constant properties of the virtual controller.
struct ControllerIdentity {
    /// The public Bluetooth address.
    var address: DeviceAddress
    /// Whether the controller has the LE feature "extended advertising" with its commands. Bluetooth 5 controllers may
    /// have it; many built-in ones do not.
    var hasExtendedAdvertising: Bool
    /// The name that `hciconfig name` shows.
    var name = "beacond kernel rig"
}
