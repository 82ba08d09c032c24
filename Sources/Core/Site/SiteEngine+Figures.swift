extension SiteEngine {
    /// Whether any gateway that has spoken can hear.
    package var isHearing: Bool { gateways.all.contains { $0.hearing == .hears } }

    /// Everything counted so far, and what is heard of whom.
    package func figures(at now: Instant) -> GatewayFigures {
        let gateways = gateways.all.map { gateway in
            StoreFigures.Gateway(
                id: gateway.settings.id, hearing: gateway.hearing,
                clockAhead_s: gateway.isClockSynced ? gateway.clockOffset?.seconds : nil)
        }
        let listed = beacons.count { now - $0.listedAt <= HeardLevels.memory }
        return GatewayFigures(
            store: StoreFigures(late: figures.late, malformed: figures.malformed, gateways: gateways), tracks: listed,
            instances: instanceCount, refusedTransmitters: figures.refusedBeacons,
            refusedEntries: admission.refused, refusedGateways: figures.refusedGateways)
    }
}

extension StoreGateways.Gateway {
    /// In the word of `health`. A gateway that speaks and has told no status counts as one that hears.
    fileprivate var hearing: StoreFigures.Hearing {
        guard let status else { return lastArrival == nil ? .silent : .hears }
        if !status.isOnline { return .offline }
        return status.hears ? .hears : .blind
    }
}
