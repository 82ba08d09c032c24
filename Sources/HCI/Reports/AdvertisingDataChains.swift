/// Puts the data of extended advertisements together that a controller reports in pieces.
///
/// Core 5.4, Vol 4, Part E, 7.7.65.13: while the data status is "more to come", the next report with the same address
/// and advertising SID continues it. A structure may be cut anywhere, so a piece must never be read by itself.
public struct AdvertisingDataChains: Sendable {
    /// The longest advertising data that the specification allows (Vol 6, Part B, 2.3.4.9), octets.
    public static let maxLength = 1650
    /// Chains under way at once; the oldest gives way.
    public static let maxChains = 16

    private struct Chain {
        var address: DeviceAddress
        var sid: UInt8
        var data: [UInt8]
    }

    private var chains: [Chain] = []

    public init() {}

    /// Hands `body` the report with all of its data once that is there: at once for a report that is whole.
    public mutating func append(
        _ report: AdvertisingReport, _ data: Span<UInt8>, rejects: inout RejectCounts,
        body: (AdvertisingReport, Span<UInt8>) -> Void
    ) {
        if chains.isEmpty, report.dataStatus != .moreToCome { return body(report, data) }
        appendToChain(report, data, rejects: &rejects, body: body)
    }

    private mutating func appendToChain(
        _ report: AdvertisingReport, _ data: Span<UInt8>, rejects: inout RejectCounts,
        body: (AdvertisingReport, Span<UInt8>) -> Void
    ) {
        let index = chains.firstIndex { $0.address == report.address && $0.sid == report.advertisingSID }
        var chain = index.map { chains.remove(at: $0) }
        if chain == nil {
            if report.dataStatus != .moreToCome { return body(report, data) }
            chain = Chain(address: report.address, sid: report.advertisingSID, data: [])
        }
        guard var chain else { return }
        guard chain.data.count + data.count <= Self.maxLength else { return rejects.count(.oversizedChain) }
        for index in data.indices { chain.data.append(data[index]) }
        if report.dataStatus == .moreToCome {
            if chains.count >= Self.maxChains { chains.removeFirst() }
            chains.append(chain)
        } else {
            body(report, chain.data.span)
        }
    }
}
