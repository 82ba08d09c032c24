/// How accurate fixes usually are: the median of the last 100.
struct RecentAccuracies: Sendable {
    private static let capacity = 100
    /// Fewer fixes than these are no custom. It is looked at each time that as many are new.
    private static let step = 20

    private var recent_m: [Double] = []
    private var next = 0
    private var newCount = 0

    /// Takes the accuracy of a fix.
    ///
    /// - Returns: the median, each time that enough of them are new. Metres.
    mutating func add(_ accuracy_m: Double) -> Double? {
        if recent_m.count < Self.capacity {
            recent_m.append(accuracy_m)
        } else {
            recent_m[next] = accuracy_m
            next = (next + 1) % Self.capacity
        }
        newCount += 1
        guard newCount == Self.step else { return nil }
        newCount = 0
        return recent_m.sorted()[recent_m.count / 2]
    }
}
