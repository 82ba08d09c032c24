import Core

/// What is said outside the gateway's own topics.
extension TransactionWriter {
    /// With its first state, Home Assistant is told of a region.
    func introduce(_ transition: RegionTransition, _ records: RecordTable, into draft: inout TransactionDraft) {
        guard let discovery = words.discovery else { return }
        let refused = draft.entities.refusedCount
        if draft.entities.admit(transition.instance, limit: words.maxInstances) {
            let isCounted = transition.circle == nil && !words.unranged.contains(transition.instance.region)
            let told = discovery.introduction(of: transition.instance, isCounted: isCounted)
            for message in told { retain(message, at: transition.at, records, into: &draft) }
            // What the region of that name was before may have had more.
            for topic in discovery.topics(of: transition.instance) where !told.contains(where: { $0.topic == topic }) {
                clear(topic, at: transition.at, records, into: &draft)
            }
        } else if refused == 0, draft.entities.refusedCount > 0 {
            draft.dispatched.append(
                .init(at: transition.at, content: .entityLimit(EntityLimit(limit: words.maxInstances))))
        }
    }

    /// A region is monitored no more: neither are there entities of it.
    func withdraw(
        _ instance: RegionInstanceID, at instant: Instant, _ records: RecordTable, into draft: inout TransactionDraft
    ) {
        guard let discovery = words.discovery else { return }
        draft.entities.forget(instance)
        for topic in discovery.topics(of: instance) { clear(topic, at: instant, records, into: &draft) }
    }

    /// Clears a topic on which something was said.
    private func clear(_ topic: String, at instant: Instant, _ records: RecordTable, into draft: inout TransactionDraft)
    {
        guard draft.stores(StoredClearance.key(topic), records) else { return }
        draft.abandoned.add(topic: topic)
        draft.say(composer.cleared(topic), at: instant)
    }

    /// The same news as a numbered message, before it.
    func sayCompanions(of message: NumberedMessage, at instant: Instant, into draft: inout TransactionDraft) {
        for companion in words.companions(of: message) { draft.say(companion, at: instant) }
    }
}
