/// The condition of an adapter: what keeps it from scanning. The raw value is the word that subscribers get.
///
/// Every value but `scanning` ends by itself once its cause is gone. No restart is needed.
package enum RadioAvailability: String, Sendable, CaseIterable {
    /// There is no adapter, or not the configured one.
    case absent
    /// The adapter exists, but this process has no permission to use it.
    case unauthorized
    /// A software or hardware kill switch blocks the radio.
    case blocked
    /// The adapter is powered down.
    case off
    /// The adapter is up, but answers no commands and sends no reports.
    case stalled
    /// A receiver publishes too rarely for visits.
    case unusable
    /// The adapter scans. `RadioLiveness` shows whether it hears anything.
    case scanning

    /// Advice for an installer, one sentence in plain words; empty for `scanning`.
    package var remedy: String {
        switch self {
        case .absent:
            "No such Bluetooth adapter: plug one in, or correct radio.adapter in the configuration; beacond check tells more."
        case .unauthorized:
            "Give the process the capability CAP_NET_RAW: sudo by hand, AmbientCapabilities=CAP_NET_RAW in a systemd unit, "
                + "or setcap cap_net_raw+ep on the executable."
        case .blocked:
            "Bluetooth is blocked: run 'sudo rfkill unblock bluetooth', or release the machine's wireless switch."
        case .off:
            "The Bluetooth adapter is off: run 'bluetoothctl power on' or 'sudo hciconfig hci0 up', where hci0 is its name."
        case .stalled:
            "The Bluetooth adapter does not answer: unplug it and plug it in again, or restart the machine."
        case .unusable:
            "The receiver publishes less than once in 5 s: set it to 1 s."
        case .scanning:
            ""
        }
    }
}

/// The radio's availability, and whether this process has permission to change it.
package struct RadioCondition: Hashable, Sendable {
    var availability: RadioAvailability
    /// True if the process has CAP_NET_ADMIN. Then the agent powers up adapters that no person has switched off, and
    /// resets adapters that do not answer.
    var mayAdminister: Bool
    /// True if the kernel has Bluetooth, and no sandbox hides it.
    var isSupported: Bool
    /// The topic of the receiver that is the radio; `nil` for this machine's adapters.
    var receiver: String?

    package init(_ availability: RadioAvailability, mayAdminister: Bool, isSupported: Bool = true) {
        self.availability = availability
        self.mayAdminister = mayAdminister
        self.isSupported = isSupported
    }

    /// - Parameter topic: the filter of the receiver's messages.
    package init(_ availability: RadioAvailability, receiver topic: String) {
        self.init(availability, mayAdminister: false)
        receiver = topic
    }

    /// Advice for an installer, one line in plain words; empty for `scanning`.
    package var remedy: String {
        if let receiver { return Self.remedy(availability, receiver: receiver) }
        return switch (availability, mayAdminister) {
        case (.absent, _) where !isSupported:
            "This process sees no Bluetooth in the kernel: load the module 'bluetooth', allow AF_BLUETOOTH in the service's "
                + "sandbox, or give the container the host's network."
        case (.off, true):
            "The Bluetooth adapter is off. The agent switches it on by itself, unless a person has switched it off: then "
                + "run 'bluetoothctl power on' or 'sudo hciconfig hci0 up', where hci0 is its name."
        case (.off, false):
            "\(availability.remedy) With the capability CAP_NET_ADMIN the agent switches it on by itself, unless a person "
                + "has switched it off."
        case (.stalled, true):
            "The Bluetooth adapter does not answer, and the agent resets it by itself. If that does not help, unplug it "
                + "and plug it in again, or restart the machine."
        case (.stalled, false):
            "\(availability.remedy) With the capability CAP_NET_ADMIN the agent resets it by itself."
        case (.absent, _), (.unauthorized, _), (.blocked, _), (.unusable, _), (.scanning, _):
            availability.remedy
        }
    }

    private static func remedy(_ availability: RadioAvailability, receiver topic: String) -> String {
        switch availability {
        case .scanning, .unusable: availability.remedy
        case .stalled: "The receiver on \(topic) has stopped publishing: look at its power, its network and its broker."
        case .absent, .unauthorized, .blocked, .off:
            "No readable message of a receiver has come on \(topic): look at receiver.topic and receiver.format, at the "
                + "receiver's broker, and at what the broker lets this agent read."
        }
    }
}
