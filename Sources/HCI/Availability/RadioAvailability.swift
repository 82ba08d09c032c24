/// What stands between an adapter and scanning. The raw value is the word that subscribers get.
///
/// Every value but `scanning` ends by itself once its cause is gone: nothing needs to be restarted.
public enum RadioAvailability: String, Sendable, CaseIterable {
    /// There is no adapter, or not the configured one.
    case absent
    /// There is one, but this process may not speak to it.
    case unauthorized
    /// A radio kill switch holds it, in software or in hardware.
    case blocked
    /// It is there and powered down.
    case off
    /// It is up but answers neither commands nor sends reports.
    case stalled
    /// It scans. Whether it hears anything is for `RadioLiveness` to say.
    case scanning

    /// What an installer can do about it, one sentence in plain words; empty for `scanning`.
    public var remedy: String {
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
        case .scanning:
            ""
        }
    }
}
