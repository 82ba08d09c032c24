import Core

/// The adapters of this machine at one moment, and whether this process may use them.
package struct AdapterSurvey: Hashable, Sendable {
    /// In the order of their indices.
    var adapters: [Adapter]
    /// True if the process has CAP_NET_RAW: without it the kernel passes neither LE commands nor LE events.
    var isPermitted = true
    /// True if a Bluetooth kill switch is on. On many laptops such a switch removes the adapter altogether.
    var hasBlockedSwitch = false
    /// True if the kernel has Bluetooth, and no sandbox hides it.
    var isSupported = true

    enum Choice: Hashable, Sendable {
        case usable(Adapter)
        /// No adapter can be opened; the second value is `nil` where there is none.
        case obstacle(RadioAvailability, Adapter?)
    }

    /// Finds the adapter that the configuration asks for.
    ///
    /// - Parameters:
    ///   - wanted: the adapter as the configuration names it.
    ///   - known: the address of the adapter that served this choice before. It is followed to another index, because
    /// the kernel renumbers `hciN` when an adapter is plugged in again.
    ///   - taken: indices that other choices of the same configuration hold.
    func choose(
        _ wanted: RadioSettings.Adapter, known: DeviceAddress? = nil, taken: Set<UInt16> = []
    ) -> Choice {
        let free = adapters.filter { !taken.contains($0.index) }
        let same = free.first { known != nil && $0.address.bits == known?.bits && $0.address.bits != 0 }
        let adapter: Adapter? =
            switch wanted {
            case .automatic:
                [same].compactMap(\.self).first(where: \.isUsable) ?? free.first(where: \.isUsable) ?? same
                    ?? free.first
            case .index(let index):
                same ?? free.first { $0.index == index }
            case .address(let address):
                free.first { $0.address.bits == address.bits }
            }
        guard let adapter else { return .obstacle(hasBlockedSwitch ? .blocked : .absent, nil) }
        if !isPermitted { return .obstacle(.unauthorized, adapter) }
        if adapter.isBlocked { return .obstacle(.blocked, adapter) }
        return adapter.isUp ? .usable(adapter) : .obstacle(.off, adapter)
    }
}

extension Adapter {
    fileprivate var isUsable: Bool { isUp && !isBlocked }
}

/// The obstacle between one configured adapter and scanning, for an installer to read.
package struct AdapterReport: Hashable, Sendable, CustomStringConvertible {
    var wanted: RadioSettings.Adapter
    /// The adapter that was found for it, usable or not.
    package var adapter: Adapter?
    /// `nil` where scanning can start.
    package var obstacle: RadioAvailability?
    /// One line with the remedy; empty where scanning can start, or where the agent removes the obstacle by itself.
    package var remedy: String

    /// `hci0 (00:1A:7D:DA:71:13)`, or the configured name where the adapter is missing.
    package var name: String { adapter.map { "\($0.name) (\($0.address))" } ?? wanted.name }

    /// `hci0 (00:1A:7D:DA:71:13): ready`, or the obstacle's word in place of `ready`.
    package var description: String {
        let word = obstacle?.rawValue ?? "ready"
        return "\(name): \(obstacle == .off && remedy.isEmpty ? "off; the agent brings it up when it starts" : word)"
    }
}

extension AdapterSurvey {
    /// One report for each configured adapter, in order. It opens and changes nothing.
    ///
    /// - Parameter mayAdminister: whether the agent has CAP_NET_ADMIN, so that it can bring up an adapter that is off.
    package func reports(on settings: RadioSettings, mayAdminister: Bool) -> [AdapterReport] {
        reports(on: settings.adapters, mayAdminister: mayAdminister)
    }

    func reports(on adapters: [RadioSettings.Adapter], mayAdminister: Bool = false) -> [AdapterReport] {
        var taken: Set<UInt16> = []
        return adapters.map { wanted in
            switch choose(wanted, taken: taken) {
            case .usable(let adapter):
                taken.insert(adapter.index)
                return AdapterReport(wanted: wanted, adapter: adapter, obstacle: nil, remedy: "")
            case .obstacle(let obstacle, let adapter):
                if let adapter { taken.insert(adapter.index) }
                return AdapterReport(
                    wanted: wanted, adapter: adapter, obstacle: obstacle,
                    remedy: remedy(for: obstacle, mayAdminister: mayAdminister))
            }
        }
    }

    private func remedy(for obstacle: RadioAvailability, mayAdminister: Bool) -> String {
        if obstacle == .off && mayAdminister { return "" }
        let remedy = RadioCondition(obstacle, mayAdminister: mayAdminister, isSupported: isSupported).remedy
        guard obstacle == .absent, isSupported, !isPermitted else { return remedy }
        // Names the next obstacle too, to save the installer another round.
        return "\(remedy) \(RadioAvailability.unauthorized.remedy)"
    }
}

extension RadioSettings.Adapter {
    /// The name as the configuration writes it.
    package var name: String {
        switch self {
        case .automatic: "auto"
        case .index(let index): "hci\(index)"
        case .address(let address): address.description
        }
    }
}
