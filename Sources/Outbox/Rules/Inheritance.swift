/// What stands in a file that bears on whose it is.
struct Inheritance {
    var values: [OutboxRecord]
    /// Those of the oldest and the newest event; none where the values say it all.
    var topics: [String] = []
    /// The epochs that events, gaps or numbers are left of; none where the values know of no other owner.
    var epochs: Set<String> = []
}
