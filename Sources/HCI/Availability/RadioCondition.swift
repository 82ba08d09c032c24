/// The radio's availability, and whether this process may do something about it by itself.
public struct RadioCondition: Hashable, Sendable {
    public var availability: RadioAvailability
    /// The process has CAP_NET_ADMIN: it brings up adapters that nobody switched off, and resets those that do not answer.
    public var mayAdminister: Bool

    public init(_ availability: RadioAvailability, mayAdminister: Bool) {
        self.availability = availability
        self.mayAdminister = mayAdminister
    }

    /// What an installer can do about it, one line in plain words; empty for `scanning`.
    public var remedy: String {
        switch (availability, mayAdminister) {
        case (.off, true):
            "The Bluetooth adapter is off. The agent switches it on by itself, unless somebody has switched it off: then run "
                + "'bluetoothctl power on' or 'sudo hciconfig hci0 up', where hci0 is its name."
        case (.off, false):
            "\(availability.remedy) With the capability CAP_NET_ADMIN the agent switches it on by itself, unless somebody has "
                + "switched it off."
        case (.stalled, true):
            "The Bluetooth adapter does not answer, and the agent resets it by itself. If that does not help, unplug it "
                + "and plug it in again, or restart the machine."
        case (.stalled, false):
            "\(availability.remedy) With the capability CAP_NET_ADMIN the agent resets it by itself."
        case (.absent, _), (.unauthorized, _), (.blocked, _), (.scanning, _):
            availability.remedy
        }
    }
}
