/// How long a transmitter may be silent before it means anything.
struct Patience: Hashable, Sendable {
    /// 4 learned intervals.
    var ordinary: TimeSpan
    /// What a slow beacon that loses packets needs beyond that; zero for others.
    var lossy: TimeSpan
    /// 4 gaps between its receptions, as they are on average with that loss.
    var fourGaps: TimeSpan

    static let none = Patience(ordinary: .zero)

    package init(ordinary: TimeSpan, lossy: TimeSpan = .zero, fourGaps: TimeSpan = .zero) {
        self.ordinary = ordinary
        self.lossy = lossy
        self.fourGaps = fourGaps
    }

    /// The silence after which it is out of hearing.
    var silence: TimeSpan { max(ordinary, lossy) }

    /// The silence after which a region is left: longer than 4 intervals only for loss, and then by no more than the
    /// `exit_after_s` of the region, so that a beacon that really left is not waited for without end.
    func leaving(exitAfter: TimeSpan) -> TimeSpan {
        max(ordinary, min(lossy, fourGaps + exitAfter))
    }
}
