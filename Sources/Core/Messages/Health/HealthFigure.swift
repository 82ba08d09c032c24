/// One figure of `health`, declared once: its key, how it is written to the message and read from it, and the metric that
/// says the same.
///
/// The unit is the last part of both names, as the custom of each side has it: `_s` in the message, `_seconds` in the metric.
package struct HealthFigure<Owner>: Sendable {
    /// Where a figure is in what owns it.
    package typealias Path<Value> = any WritableKeyPath<Owner, Value> & Sendable

    /// What Prometheus is told of a figure beside its value.
    package struct Metric: Sendable {
        package var name: String
        var kind: PrometheusText.Kind
        /// What it means, one sentence.
        var help: String

        static func gauge(_ name: String, _ help: String) -> Metric { Metric(name: name, kind: .gauge, help: help) }

        /// - Parameter name: it ends in `_total`.
        static func counter(_ name: String, _ help: String) -> Metric { Metric(name: name, kind: .counter, help: help) }
    }

    /// Its key in the message; `nil` for what only the metrics say, and for figures that stand in the object around them.
    package let key: StaticString?
    let write: @Sendable (Owner, inout JSONWriter) -> Void
    let read: @Sendable (inout Owner, inout PayloadFields) throws(PayloadError) -> Void
    let measure: @Sendable (Owner, inout PrometheusText) -> Void

    /// - Parameters:
    ///   - metric: `nil` for what only the message says.
    ///   - samples: the metric's values.
    init(
        _ key: StaticString?, _ metric: Metric?,
        write: @escaping @Sendable (Owner, inout JSONWriter) -> Void = { _, _ in },
        read: @escaping @Sendable (inout Owner, inout PayloadFields) throws(PayloadError) -> Void = { _, _ in },
        samples: @escaping @Sendable (Owner) -> [PrometheusText.Sample] = { _ in [] }
    ) {
        self.key = key
        self.write = write
        self.read = read
        measure = { owner, text in
            if let metric { text.add(metric.name, metric.kind, metric.help, samples(owner)) }
        }
    }

    fileprivate init(
        key: StaticString?, write: @escaping @Sendable (Owner, inout JSONWriter) -> Void,
        read: @escaping @Sendable (inout Owner, inout PayloadFields) throws(PayloadError) -> Void,
        measure: @escaping @Sendable (Owner, inout PrometheusText) -> Void
    ) {
        self.key = key
        self.write = write
        self.read = read
        self.measure = measure
    }
}

extension HealthFigure where Owner: Sendable {
    /// The figure as one of what its owner is a part of.
    func of<Whole>(_ owner: HealthFigure<Whole>.Path<Owner>) -> HealthFigure<Whole> {
        let (write, read, measure) = (write, read, measure)
        return HealthFigure<Whole>(key: key) { whole, json in
            write(whole[keyPath: owner], &json)
        } read: { whole, fields throws(PayloadError) in
            try read(&whole[keyPath: owner], &fields)
        } measure: { whole, text in
            measure(whole[keyPath: owner], &text)
        }
    }
}

/// The kinds of figures.
extension HealthFigure {
    /// - Parameter unit: how many of the metric's unit are one of the message's.
    static func integer<Value: FixedWidthInteger & Sendable>(
        _ key: StaticString, _ value: Path<Value>, _ metric: Metric? = nil,
        unit: Value = 1, isLater: Bool = false
    ) -> HealthFigure {
        HealthFigure(key, metric) { owner, json in
            json.set(key, owner[keyPath: value])
        } read: { owner, fields throws(PayloadError) in
            if isLater, !fields.has(key) { return }
            owner[keyPath: value] = try fields.integer(key)
        } samples: { owner in
            [.init(owner[keyPath: value] &* unit)]
        }
    }

    /// A number from 0 to 10¹².
    static func number(
        _ key: StaticString, _ value: Path<Double>, decimals: Int, _ metric: Metric? = nil
    ) -> HealthFigure {
        HealthFigure(key, metric) { owner, json in
            json.set(key, owner[keyPath: value], decimals: decimals)
        } read: { owner, fields throws(PayloadError) in
            owner[keyPath: value] = try fields.number(key, 0...1e12)
        } samples: { owner in
            [.init(owner[keyPath: value])]
        }
    }

    static func flag(
        _ key: StaticString, _ value: Path<Bool>, _ metric: Metric? = nil
    ) -> HealthFigure {
        HealthFigure(key, metric) { owner, json in
            json.set(key, owner[keyPath: value])
        } read: { owner, fields throws(PayloadError) in
            owner[keyPath: value] = try fields.boolean(key)
        } samples: { owner in
            [.init(owner[keyPath: value])]
        }
    }

    /// What is wrong, one line; empty where nothing is, which is what the metric says as 1.
    package static func fault(
        _ key: StaticString, _ value: Path<String>, _ metric: Metric? = nil
    ) -> HealthFigure {
        HealthFigure(key, metric) { owner, json in
            json.set(key, owner[keyPath: value])
        } read: { owner, fields throws(PayloadError) in
            owner[keyPath: value] = try fields.text(key)
        } samples: { owner in
            [.init(owner[keyPath: value].isEmpty)]
        }
    }

    /// Counts by name.
    ///
    /// - Parameters:
    ///   - label: what the metric calls the name.
    ///   - onlyIfAny: whether the message leaves the object out where it is empty.
    static func counts(
        _ key: StaticString, _ counts: Path<[NamedCount]>, onlyIfAny: Bool = false,
        label: String, _ metric: Metric
    ) -> HealthFigure {
        HealthFigure(key, metric) { owner, json in
            let counts = owner[keyPath: counts]
            if onlyIfAny, counts.isEmpty { return }
            json.set(key) { json in for count in counts { json.set(count.name, count: count.count) } }
        } read: { owner, fields throws(PayloadError) in
            let isThere = onlyIfAny ? fields.has(key) : true
            owner[keyPath: counts] = isThere ? try fields.counts(key) : []
        } samples: { owner in
            owner[keyPath: counts].map { .init($0.count, label: (label, $0.name)) }
        }
    }

    /// What only the metrics say.
    static func metric(
        _ metric: Metric, _ samples: @escaping @Sendable (Owner) -> [PrometheusText.Sample]
    ) -> HealthFigure {
        HealthFigure(nil, metric, samples: samples)
    }

    /// Figures that are all there or none of them.
    ///
    /// - Parameters:
    ///   - key: their object in the message; `nil` where they stand beside the others. They are there if the first one is.
    ///   - blank: what is filled as a message is read.
    static func group<Part: Sendable>(
        _ key: StaticString?, _ part: Path<Part?>, blank: Part,
        _ figures: [HealthFigure<Part>]
    ) -> HealthFigure {
        let write: @Sendable (Part, inout JSONWriter) -> Void = { part, json in
            for figure in figures { figure.write(part, &json) }
        }
        let read: @Sendable (inout PayloadFields) throws(PayloadError) -> Part = { fields throws(PayloadError) in
            var part = blank
            for figure in figures { try figure.read(&part, &fields) }
            return part
        }
        return HealthFigure(key: key) { owner, json in
            guard let part = owner[keyPath: part] else { return }
            if let key { json.set(key) { json in write(part, &json) } } else { write(part, &json) }
        } read: { owner, fields throws(PayloadError) in
            if let key {
                owner[keyPath: part] = try fields.objectIfPresent(key, read)
            } else if let first = figures.first?.key, fields.has(first) {
                owner[keyPath: part] = try read(&fields)
            }
        } measure: { owner, text in
            guard let part = owner[keyPath: part] else { return }
            for figure in figures { figure.measure(part, &text) }
        }
    }
}
