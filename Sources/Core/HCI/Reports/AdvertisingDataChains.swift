/// Puts the data of extended advertisements together that a controller reports in pieces.
///
/// Core 5.4, Vol 4, Part E, 7.7.65.13: while the data status is "more to come", the next report with the same address
/// and advertising SID continues it. A structure may be cut anywhere, so a piece must never be read by itself.
struct AdvertisingDataChains: Sendable {
    /// The longest advertising data that the specification allows (Vol 6, Part B, 2.3.4.9), octets.
    static let maxLength = 1650
    /// Chains under way at once; the oldest gives way.
    static let maxChains = 16

    /// What a report makes of its chain.
    package enum Step: Hashable, Sendable {
        /// The report's data is all there is.
        case whole
        /// It was the last piece: here is all of the data.
        case joined([UInt8])
        /// More is to come.
        case pending
        /// The chain is longer than any can be; it is dropped.
        case rejected(RejectReason)
    }

    private struct Chain {
        package var address: DeviceAddress
        var sid: UInt8
        package var data: [UInt8]
    }

    private var chains: [Chain] = []

    init() {}

    /// Takes a report's data in, and says whether it can be read by itself, is the end of a chain, or has to wait.
    mutating func append(_ report: AdvertisingReport, _ data: Span<UInt8>) -> Step {
        if chains.isEmpty, report.dataStatus != .moreToCome { return .whole }
        let index = chains.firstIndex { $0.address == report.address && $0.sid == report.advertisingSID }
        guard index != nil || report.dataStatus == .moreToCome else { return .whole }
        var chain =
            index.map { chains.remove(at: $0) }
            ?? Chain(address: report.address, sid: report.advertisingSID, data: [])
        guard chain.data.count + data.count <= Self.maxLength else { return .rejected(.oversizedChain) }
        for index in data.indices { chain.data.append(data[index]) }
        guard report.dataStatus == .moreToCome else { return .joined(chain.data) }
        if chains.count >= Self.maxChains { chains.removeFirst() }
        chains.append(chain)
        return .pending
    }
}

/// Advertising data: a sequence of structures.
///
/// Core 5.4, Vol 3, Part C, 11:
///
///     octet 0       length n of what follows; 0 ends the significant part early
///     octet 1       AD type
///     octets 2…n    AD data, n − 1 octets
enum ADStructures {
    /// Hands every structure to `body`, type and data.
    ///
    /// - Returns: `false` where a structure runs past the end. It is dropped, not clamped, and nothing behind it can be
    ///   read; the structures before it were handed over.
    static func forEach(in data: Span<UInt8>, body: (UInt8, Span<UInt8>) -> Void) -> Bool {
        var offset = 0
        while offset < data.count {
            let length = Int(data[offset])
            if length == 0 { return true }
            let end = offset + 1 + length
            guard end <= data.count else { return false }
            body(data[offset + 1], data.extracting(offset + 2..<end))
            offset = end
        }
        return true
    }
}
