/// Whose an outbox is.
///
/// What another owner has left means nothing to this one: a new epoch begins, and nothing goes on from its records. Its
/// events still wait for delivery, apart from this owner's own, so that neither holds up the other.
package protocol OutboxOwner: Sendable {
    /// Names the owner: two of one name are one.
    var name: String { get }

    /// The owner that an event speaks for, by its topic; `nil` where that can't be told. Asked of a file that does not say
    /// whose it is, as those of earlier versions.
    func owner(ofTopic topic: String) -> String?

    /// The records that this owner begins with where `former` left these.
    func legacy(of records: [OutboxRecord], leftBy former: String) -> [OutboxRecord]
}
