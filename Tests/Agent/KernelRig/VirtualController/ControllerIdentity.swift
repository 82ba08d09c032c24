@testable import Core

/// What the virtual controller is, from its first moment to its last.
struct ControllerIdentity {
    /// Its public Bluetooth address.
    var address: DeviceAddress
    /// Whether it has the LE feature "extended advertising" and the commands that come with it, as Bluetooth 5
    /// controllers may and many built-in ones do not.
    var hasExtendedAdvertising: Bool
    /// Its name, as `hciconfig name` shows it.
    var name = "beacond kernel rig"
}
