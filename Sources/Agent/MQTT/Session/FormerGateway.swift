import Core

/// What the gateway that this one was before it was moved has left to be sent: events under its topics, and retained
/// topics of its own to be cleared. The broker may refuse all of it, so nothing of ours waits for any of it.
struct FormerGateway: Sendable {
    /// `{prefix}/{site}/{gateway}/` of the gateway that this one is.
    private let ownRoot: String
    package var line: OutgoingLine
    /// The broker refuses what it says, so far as was tried.
    var isRefusedForGood = false
    var saidRefusals = SaidOnce<ReasonCode>()

    /// - Parameter statusTopic: of the gateway that this one is.
    init(statusTopic: String, seed: UInt64) {
        ownRoot = String(statusTopic.dropLast("status".count))
        line = OutgoingLine(seed: seed, isExhausted: true)
    }

    /// Whether a topic is not one of this gateway's own.
    func owns(_ topic: String) -> Bool { !topic.utf8.starts(with: ownRoot.utf8) }

    /// Accepted. Returns whether it is one of these.
    mutating func settle(_ sequence: UInt64) -> Bool {
        guard line.remove(sequence) != nil else { return false }
        isRefusedForGood = false
        saidRefusals.forget()
        return true
    }

    mutating func refuse(_ sequence: UInt64, at now: Instant) -> (message: OutgoingMessage, refusals: Int)? {
        line.refuse(sequence, at: now)
    }

    /// It won't be sent any more. Returns whether it is one of these.
    mutating func giveUp(_ sequence: UInt64) -> Bool {
        guard line.topic(of: sequence) != nil else { return false }
        line.giveUp(sequence)
        return true
    }
}
