public import Configuration
public import HCI

/// What stands between one configured adapter and scanning, for an installer to read.
public struct AdapterReport: Hashable, Sendable, CustomStringConvertible {
    /// What the configuration asks for.
    public var wanted: RadioSettings.Adapter
    /// The adapter that was found for it, usable or not.
    public var adapter: Adapter?
    /// `nil` where scanning can start.
    public var obstacle: RadioAvailability?
    /// One sentence on what to do; empty where scanning can start.
    public var remedy: String

    /// `hci0 (00:1A:7D:DA:71:13)`, or what the configuration asks for where it is not there.
    public var name: String { adapter.map { "\($0.name) (\($0.address))" } ?? wanted.name }

    /// `hci0 (00:1A:7D:DA:71:13): ready`, or the obstacle's word in place of `ready`.
    public var description: String { "\(name): \(obstacle?.rawValue ?? "ready")" }
}

extension AdapterSurvey {
    /// One report for each configured adapter, in their order. Nothing is opened or changed.
    public func reports(on settings: RadioSettings) -> [AdapterReport] { reports(on: settings.adapters) }

    func reports(on adapters: [RadioSettings.Adapter]) -> [AdapterReport] {
        var taken: Set<UInt16> = []
        return adapters.map { wanted in
            switch choose(wanted, taken: taken) {
            case .usable(let adapter):
                taken.insert(adapter.index)
                return AdapterReport(wanted: wanted, adapter: adapter, obstacle: nil, remedy: "")
            case .obstacle(let obstacle, let adapter):
                if let adapter { taken.insert(adapter.index) }
                return AdapterReport(
                    wanted: wanted, adapter: adapter, obstacle: obstacle, remedy: remedy(for: obstacle))
            }
        }
    }

    private func remedy(for obstacle: RadioAvailability) -> String {
        guard obstacle == .absent && !isSupported else { return obstacle.remedy }
        return "This process sees no Bluetooth in the kernel: load the module 'bluetooth', allow AF_BLUETOOTH in the "
            + "service's sandbox, or give the container the host's network."
    }
}

extension RadioSettings.Adapter {
    /// As the configuration writes it.
    fileprivate var name: String {
        switch self {
        case .automatic: "auto"
        case .index(let index): "hci\(index)"
        case .address(let address): address.description
        }
    }
}
