/// One figure of `health`, declared once: its key, its writer and its metric.
///
/// The unit ends both names, in each side's style: `_s` in the message, `_seconds` in the metric.
package struct HealthFigure<Owner>: Sendable {
    /// The place of a figure in its owner.
    package typealias Path<Value> = any KeyPath<Owner, Value> & Sendable

    package struct Metric: Sendable {
        package var name: String
        var kind: PrometheusText.Kind
        /// The help, one sentence.
        var help: String

        static func gauge(_ name: String, _ help: String) -> Metric { Metric(name: name, kind: .gauge, help: help) }

        /// - Parameter name: a name that ends in `_total`.
        static func counter(_ name: String, _ help: String) -> Metric { Metric(name: name, kind: .counter, help: help) }
    }

    /// The key in the message; `nil` for figures that are only metrics, and for those without an object of their own.
    package let key: StaticString?
    let write: @Sendable (Owner, inout JSONWriter) -> Void
    let measure: @Sendable (Owner, inout PrometheusText) -> Void

    /// - Parameter metric: `nil` for a figure that is only in the message.
    init(
        _ key: StaticString?, _ metric: Metric?,
        write: @escaping @Sendable (Owner, inout JSONWriter) -> Void = { _, _ in },
        samples: @escaping @Sendable (Owner) -> [PrometheusText.Sample] = { _ in [] }
    ) {
        self.key = key
        self.write = write
        measure = { owner, text in
            if let metric { text.add(metric.name, metric.kind, metric.help, samples(owner)) }
        }
    }

    fileprivate init(
        key: StaticString?, write: @escaping @Sendable (Owner, inout JSONWriter) -> Void,
        measure: @escaping @Sendable (Owner, inout PrometheusText) -> Void
    ) {
        self.key = key
        self.write = write
        self.measure = measure
    }
}

extension HealthFigure where Owner: Sendable {
    /// Returns the figure as one of its owner's owner.
    func of<Whole>(_ owner: HealthFigure<Whole>.Path<Owner>) -> HealthFigure<Whole> {
        let (write, measure) = (write, measure)
        return HealthFigure<Whole>(key: key) { whole, json in
            write(whole[keyPath: owner], &json)
        } measure: { whole, text in
            measure(whole[keyPath: owner], &text)
        }
    }
}

extension HealthFigure {
    /// - Parameter unit: the number of the metric's units in one of the message's.
    static func integer<Value: FixedWidthInteger & Sendable>(
        _ key: StaticString, _ value: Path<Value>, _ metric: Metric? = nil, unit: Value = 1
    ) -> HealthFigure {
        HealthFigure(key, metric) { owner, json in
            json.set(key, owner[keyPath: value])
        } samples: { owner in
            [.init(owner[keyPath: value] &* unit)]
        }
    }

    /// Returns a figure that is missing where its value is `nil`.
    static func integerIfPresent<Value: FixedWidthInteger & Sendable>(
        _ key: StaticString, _ value: Path<Value?>, _ metric: Metric
    ) -> HealthFigure {
        HealthFigure(key, metric) { owner, json in
            if let number = owner[keyPath: value] { json.set(key, number) }
        } samples: { owner in
            owner[keyPath: value].map { [.init($0)] } ?? []
        }
    }

    /// Returns a figure for a number from 0 to 10¹².
    static func number(
        _ key: StaticString, _ value: Path<Double>, decimals: Int, _ metric: Metric? = nil
    ) -> HealthFigure {
        HealthFigure(key, metric) { owner, json in
            json.set(key, owner[keyPath: value], decimals: decimals)
        } samples: { owner in
            [.init(owner[keyPath: value])]
        }
    }

    static func flag(
        _ key: StaticString, _ value: Path<Bool>, _ metric: Metric? = nil
    ) -> HealthFigure {
        HealthFigure(key, metric) { owner, json in
            json.set(key, owner[keyPath: value])
        } samples: { owner in
            [.init(owner[keyPath: value])]
        }
    }

    /// Returns a figure for a fault in one line; empty for none, for which the metric is 1.
    package static func fault(
        _ key: StaticString, _ value: Path<String>, _ metric: Metric? = nil
    ) -> HealthFigure {
        HealthFigure(key, metric) { owner, json in
            json.set(key, owner[keyPath: value])
        } samples: { owner in
            [.init(owner[keyPath: value].isEmpty)]
        }
    }

    /// Returns a figure for counts by name.
    ///
    /// - Parameter onlyIfAny: whether the message leaves an empty object out.
    static func counts(
        _ key: StaticString, _ counts: Path<[NamedCount]>, onlyIfAny: Bool = false, label: String, _ metric: Metric
    ) -> HealthFigure {
        HealthFigure(key, metric) { owner, json in
            let counts = owner[keyPath: counts]
            if onlyIfAny, counts.isEmpty { return }
            json.set(key) { json in for count in counts { json.set(count.name, count: count.count) } }
        } samples: { owner in
            owner[keyPath: counts].map { .init($0.count, label: (label, $0.name)) }
        }
    }

    /// Returns a figure that is only a metric.
    static func metric(
        _ metric: Metric, _ samples: @escaping @Sendable (Owner) -> [PrometheusText.Sample]
    ) -> HealthFigure {
        HealthFigure(nil, metric, samples: samples)
    }

    /// Returns a group of figures that are all present or all absent.
    ///
    /// - Parameter key: the object in the message; `nil` where the figures are beside the others.
    static func group<Part: Sendable>(
        _ key: StaticString?, _ part: Path<Part?>, _ figures: [HealthFigure<Part>]
    ) -> HealthFigure {
        let write: @Sendable (Part, inout JSONWriter) -> Void = { part, json in
            for figure in figures { figure.write(part, &json) }
        }
        return HealthFigure(key: key) { owner, json in
            guard let part = owner[keyPath: part] else { return }
            if let key { json.set(key) { json in write(part, &json) } } else { write(part, &json) }
        } measure: { owner, text in
            guard let part = owner[keyPath: part] else { return }
            for figure in figures { figure.measure(part, &text) }
        }
    }
}
