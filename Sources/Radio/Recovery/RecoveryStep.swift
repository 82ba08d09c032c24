/// What is done about an adapter that does not scan, weakest first. The raw value is the word in `health`.
public enum RecoveryStep: String, Hashable, Sendable, CaseIterable {
    /// Ask the controller again, and switch scanning off and on. Needs CAP_NET_RAW only, like all of scanning.
    case reenable
    /// Bring up an adapter that is down. This and what follows needs CAP_NET_ADMIN.
    case powerOn = "power_on"
    /// Down and up: the kernel closes the controller and sets it up from the beginning.
    case powerCycle = "power_cycle"
    /// The kernel gives up every command that is under way and sends HCI_Reset.
    case reset
}

extension RecoveryStep: CustomStringConvertible {
    /// For the log, after the adapter's name.
    public var description: String {
        switch self {
        case .reenable: "no answer; asking again"
        case .powerOn: "down, and nobody switched it off; bringing it up"
        case .powerCycle: "no answer; taking it down and up"
        case .reset: "no answer; resetting it"
        }
    }
}
