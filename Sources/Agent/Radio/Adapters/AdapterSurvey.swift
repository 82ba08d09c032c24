import Core

/// The adapters of this machine at one moment, and whether this process may use them.
package struct AdapterSurvey: Hashable, Sendable {
    /// In the order of their indices.
    var adapters: [Adapter]
    /// CAP_NET_RAW: without it the kernel passes neither LE commands nor LE events.
    var isPermitted: Bool
    /// Some Bluetooth kill switch is on. On many laptops that removes the adapter altogether.
    var hasBlockedSwitch: Bool
    /// The kernel has Bluetooth, and no sandbox hides it.
    var isSupported: Bool

    init(
        adapters: [Adapter], isPermitted: Bool = true, hasBlockedSwitch: Bool = false, isSupported: Bool = true
    ) {
        self.isSupported = isSupported
        self.adapters = adapters
        self.isPermitted = isPermitted
        self.hasBlockedSwitch = hasBlockedSwitch
    }

    /// What a choice comes to.
    package enum Choice: Hashable, Sendable {
        case usable(Adapter)
        /// Nothing can be opened; the adapter is `nil` where there is none.
        case obstacle(RadioAvailability, Adapter?)
    }

    /// Finds the adapter that the configuration asks for.
    ///
    /// - Parameters:
    ///   - wanted: the configuration's word.
    ///   - known: the address of the adapter that served this choice before. It is followed to another index, because
    ///     `hciN` is renumbered when an adapter is plugged in again.
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
