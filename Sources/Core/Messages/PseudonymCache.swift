/// Remembers today's pseudonyms: to make one costs as much as all the rest of a message, and a beacon in range is named every
/// second.
struct PseudonymCache: Sendable {
    private struct Entry: Hashable {
        package var address: DeviceAddress
        package var device: Int?
    }

    /// More are forgotten, all at once: what is in range is soon in there again.
    package static let limit = 8_192

    private var day = Int64.min
    private var names: [Entry: String] = [:]

    /// What `pseudonym` says; `nil` for nothing.
    mutating func name(
        of address: DeviceAddress, device: Int?, at time: WallTime, by pseudonym: DevicePseudonym
    ) -> String? {
        let today = Timestamp.day(of: time)
        if day != today || names.count >= Self.limit {
            names.removeAll(keepingCapacity: true)
            day = today
        }
        let entry = Entry(address: address, device: device)
        if let known = names[entry] { return known }
        let name = pseudonym.name(of: address, device: device, at: time)
        names[entry] = name
        return name
    }
}
