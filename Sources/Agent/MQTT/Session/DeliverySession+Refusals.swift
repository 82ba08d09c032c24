import Core

extension DeliverySession {
    /// The broker has accepted it: only now may an event leave the outbox.
    mutating func settle(_ ticket: Ticket, at now: BootInstant) -> [DeliveryAction] {
        counters.acknowledged += 1
        _ = state.withConnection { $0.hasAccepted = true }
        suspicion.acquit(ticket)
        switch ticket {
        case .retained(let topic):
            if retained.delivered(topic) { saidRetainedRefusals.forget() }
            return retained.keeps(topic) ? [] : [.cleared(topic: topic)]
        case .answer(let number):
            answers.settle(number, at: now)
            return []
        case .durable(let sequence):
            if former.settle(sequence) { return [.acknowledge(sequence: sequence)] }
            if let topic = outgoing.present(after: sequence) { presentTopics.insert(topic) }
            guard let hadBeenRefused = outgoing.remove(sequence) else { return [] }
            if hadBeenRefused { saidEventRefusals.forget() }
            hasSaidHold = false
            return [.acknowledge(sequence: sequence)]
        case .companion(let sequence, let index):
            if let topic = outgoing.topic(ofCompanion: index, of: sequence) { refusedCompanionTopics.remove(topic) }
            return []
        }
    }

    /// The broker accepted it, but no subscriber matches its topic: a later subscriber would not get it.
    ///
    /// An event is sent again for `undelivered_hold_s`. The events behind it wait, so that they keep their order.
    /// Returns `nil` where it counts as delivered.
    mutating func unmatched(_ ticket: Ticket, at now: BootInstant) -> [DeliveryAction]? {
        guard case .durable(let sequence) = ticket else { return nil }
        counters.unmatched += 1
        guard parameters.undeliveredHold > .zero,
            let topic = outgoing.hold(sequence, for: parameters.undeliveredHold, at: now)
        else { return nil }
        _ = state.withConnection { $0.hasAccepted = true }
        suspicion.acquit(ticket)
        if hasSaidHold { return [] }
        hasSaidHold = true
        return [.say(.eventUnmatched(topic: topic, hold_s: Int(parameters.undeliveredHold.seconds)))]
    }

    /// The broker refused it. It is kept and tried again, unless its content is at fault and it was tried often enough.
    mutating func refuse(_ ticket: Ticket, _ reason: ReasonCode, at now: BootInstant) -> [DeliveryAction] {
        counters.refused[reason, default: 0] += 1
        switch ticket {
        case .retained(let topic):
            let refusals = retained.refuse(topic, at: now)
            if former.owns(topic), retained.clears(topic) { return refuseFormer(ticket, topic, refusals, reason) }
            if reason.blamesMessage, refusals >= parameters.maxRefusals { return giveUp(ticket, topic: topic, reason) }
            return saidRetainedRefusals.isNew(reason) ? [.say(.retainedRefused(topic: topic, reason))] : []
        case .answer(let number):
            // The requester chose the response topic, so only the requester can correct it.
            if answers.refuse(number, reason) { counters.answersDropped += 1 }
            return []
        case .durable(let sequence):
            if let (event, refusals) = former.refuse(sequence, at: now) {
                return refuseFormer(ticket, event.message.topic, refusals, reason)
            }
            guard let (event, refusals) = outgoing.refuse(sequence, at: now) else { return [] }
            if reason.blamesMessage || event.message.delivery.isOptional, refusals >= parameters.maxRefusals {
                return giveUp(ticket, topic: event.message.topic, reason)
            }
            return saidEventRefusals.isNew(reason) ? [.say(.eventRefused(topic: event.message.topic, reason))] : []
        case .companion(let sequence, let index):
            guard let topic = outgoing.topic(ofCompanion: index, of: sequence),
                refusedCompanionTopics.insert(topic).inserted
            else { return [] }
            return [.say(.companionRefused(topic: topic, reason))]
        }
    }

    /// Handles a refusal of a former gateway's message. After enough refusals, for any reason, the message is given up,
    /// since waiting will not help. From then on one refusal is enough, until the broker accepts such a message.
    private mutating func refuseFormer(
        _ ticket: Ticket, _ topic: String, _ refusals: Int, _ reason: ReasonCode
    ) -> [DeliveryAction] {
        let isNew = former.saidRefusals.isNew(reason)
        let said: [DeliveryAction] = isNew ? [.say(.formerRefused(topic: topic, reason))] : []
        guard refusals >= parameters.maxRefusals || former.isRefusedForGood else { return said }
        former.isRefusedForGood = true
        return said + giveUp(ticket, topic: topic, reason)
    }

    mutating func giveUp(_ ticket: Ticket, topic: String, _ reason: ReasonCode) -> [DeliveryAction] {
        suspicion.acquit(ticket)
        switch ticket {
        case .retained(let topic):
            let isFormer = former.owns(topic) && retained.clears(topic)
            retained.giveUp(topic)
            if isFormer { return [] }
            return [.say(.retainedGivenUp(topic: topic, reason))]
        case .answer: return []
        case .companion:
            outgoing.barCompanions()
            return [.say(.companionsBarred(topic: topic, reason))]
        case .durable(let sequence):
            if former.giveUp(sequence) { return [.giveUp(sequence: sequence)] }
            _ = outgoing.remove(sequence)
            counters.parked += 1
            return [
                .park(sequence: sequence),
                .say(.eventParked(sequence: sequence, topic: topic, reason)),
            ]
        }
    }
}
