import Messages

extension Message {
    /// Reads a message as a subscriber reads it. It has to say nothing that is lost on the way: written again it has the same octets.
    func read(prefix: String) throws(Violation) -> (topic: Topic, payload: any Payload) {
        guard let topic = Topic(topic, prefix: prefix), let kind = topic.subject.kind else {
            throw Violation(invariant: .readable, detail: "nobody says anything on \(self.topic)")
        }
        let payload: any Payload
        do throws(PayloadError) {
            payload = try kind.payload.init(decoding: self.payload)
        } catch {
            throw Violation(invariant: .readable, detail: "\(self.topic): \(error)")
        }
        guard payload.encoded == self.payload else {
            throw Violation(invariant: .readable, detail: "\(self.topic) is read and written otherwise")
        }
        return (topic, payload)
    }
}
