/// What the value of a key may be: how it is read, and how that is said.
struct Rule<Value: Sendable>: Sendable {
    /// What became of a node.
    package enum Outcome: Sendable {
        case value(Value)
        /// Not of the TOML type that is wanted.
        case wrongType
        /// Of the right type, but not allowed; the reason where `allowed` does not say enough.
        case refused(String?)
    }

    /// The TOML type with its article: `a number`.
    package let type: String
    /// What of that type is allowed, to follow "must be": `from 2.5 to 10240`.
    let allowed: String
    var read: @Sendable (TOMLNode) -> Outcome
    /// As it stands in the file.
    let write: @Sendable (Value) -> String
    /// The part of a node that an error may show; `nil` for a secret.
    var show: @Sendable (TOMLNode) -> String? = { $0.text }

    /// What to say about a node that is not a value; `nil` for one that is.
    func complaint(about node: TOMLNode) -> String? {
        switch read(node) {
        case .value: nil
        case .wrongType: "must be \(type) (\(allowed)), not \(node.kind)"
        case .refused(let reason): reason ?? "must be \(allowed)"
        }
    }
}

extension Rule {
    /// The same rule for another Swift type, given both ways.
    package func map<Other: Sendable>(
        _ make: @escaping @Sendable (Value) -> Other, back: @escaping @Sendable (Other) -> Value
    ) -> Rule<Other> {
        Rule<Other>(
            type: type, allowed: allowed,
            read: { [read] node in
                switch read(node) {
                case .value(let value): .value(make(value))
                case .wrongType: .wrongType
                case .refused(let reason): .refused(reason)
                }
            },
            write: { [write] in write(back($0)) }, show: show)
    }

    /// The same rule for a key that need not be there.
    package var optional: Rule<Value?> {
        Rule<Value?>(
            type: type, allowed: allowed,
            read: { [read] node in
                switch read(node) {
                case .value(let value): .value(value)
                case .wrongType: .wrongType
                case .refused(let reason): .refused(reason)
                }
            },
            write: { [write] in $0.map(write) ?? "" }, show: show)
    }
}
