/// The numbers of the last events of instances that are monitored no more, in case they are again: by request, or because one that made room
/// came back.
///
/// There are two generations. Where the younger one is full the older one is dropped, so the last `generationLimit` to go are always known,
/// and never more than twice as many are kept.
struct DepartedNumbers: Sendable {
    /// Half as many as there may be instances where the configuration says nothing of that.
    static let generationLimit = 8_192

    private let limit: Int
    private var younger: [RegionInstanceID: Int64] = [:]
    private var older: [RegionInstanceID: Int64] = [:]

    init(generationLimit limit: Int = Self.generationLimit) { self.limit = limit }

    package var count: Int { younger.count + older.count }

    /// 0 where none is known.
    func number(of instance: RegionInstanceID) -> Int64 { younger[instance] ?? older[instance] ?? 0 }

    /// An instance goes.
    mutating func note(_ instance: RegionInstanceID, _ seq: Int64) {
        older[instance] = nil
        if younger.count >= limit, younger[instance] == nil {
            older = younger
            younger = [:]
        }
        younger[instance] = seq
    }

    /// An instance is back; returns its number, 0 where none is known.
    mutating func take(_ instance: RegionInstanceID) -> Int64 {
        let number = number(of: instance)
        younger[instance] = nil
        older[instance] = nil
        return number
    }
}
