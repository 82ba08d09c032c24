import RealModule

/// How many of a slow beacon's packets are lost: the share of gaps in which at least one was.
///
/// Where each packet is lost with probability p, independently, a gap hides a loss with the same probability, however
/// many follow each other: a single long silence counts once. So three packets lost in a row are no loss rate yet.
struct LearnedLoss: Sendable {
    /// A silence so long that loss alone makes one this rarely is out of the ordinary.
    private static let rare = 1e-5
    /// Of what part the long memory consists that the latest gap makes up.
    private static let memory: Float = 1.0 / 32
    /// What is taken for no loss: at a tenth, 4 packets in a row are lost about as rarely as `rare` says.
    private static let negligible = 0.12
    /// More than this can't be told from a beacon that is not there.
    private static let most = 0.9

    /// The share of lossy gaps, over the last 32 or so.
    private var longTerm: Float = 0
    /// The share that is reckoned with: rather too high than too low.
    private var share: Float = 0

    /// Whether there is enough of it to matter.
    var isLearned: Bool { share > 0 }

    /// Intervals that pass in silence as rarely as `rare` says; at least 4.
    var missedInARow: Double { max(4, Double.log(Self.rare) / Double.log(Double(share))) }

    /// Four gaps between receptions, on average, in intervals.
    var fourGaps: Double { 4 / (1 - Double(share)) }

    /// Takes a gap in.
    ///
    /// - Parameters:
    ///   - recent: how many of the last `count` gaps were lossy, this one among them. One alone is an accident.
    mutating func learn(isLossy: Bool, recent: Int, of count: Int) {
        longTerm += ((isLossy ? 1 : 0) - longTerm) * Self.memory
        var share = 0.0
        if recent > 1 { share = Double(recent + 1) / Double(count + 1) }
        if Double(longTerm) > Self.negligible { share = max(share, Double(longTerm) + 0.05) }
        self.share = Float(min(share, Self.most))
    }
}
