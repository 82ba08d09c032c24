/// Writes Prometheus' text exposition format, version 0.0.4: for each metric its help, its type, and one line for each
/// sample.
///
/// https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
struct PrometheusText {
    enum Kind: String {
        /// A count that only grows while the process lives. The name ends in `_total`.
        case counter
        case gauge
    }

    /// A value, with its label if the metric has several.
    struct Sample {
        var label: (name: String, value: String)?
        var value: String

        init(_ value: some BinaryInteger, label: (name: String, value: String)? = nil) {
            self.value = String(value)
            self.label = label
        }

        init(_ value: Double, label: (name: String, value: String)? = nil) {
            self.value = JSONWriter.decimal(value.isFinite ? value : 0, decimals: 6)
            self.label = label
        }

        init(_ value: Bool, label: (name: String, value: String)? = nil) { self.init(value ? 1 : 0, label: label) }
    }

    private(set) var text = ""
    /// The label that every sample has beside its own; `nil` for none.
    private let common: (name: String, value: String)?

    init(labelled common: (name: String, value: String)? = nil) { self.common = common }

    /// Adds a metric. A metric without samples is left out.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        if samples.isEmpty { return }
        text += "# HELP \(name) \(Self.escaped(help, andQuotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
        for sample in samples {
            text += name
            let labels = [common, sample.label].compactMap { label in
                label.map { "\($0.name)=\"\(Self.escaped($0.value, andQuotes: true))\"" }
            }
            if !labels.isEmpty { text += "{\(labels.joined(separator: ","))}" }
            text += " \(sample.value)\n"
        }
    }

    private static func escaped(_ text: String, andQuotes: Bool) -> String {
        text.reduce(into: "") { escaped, character in
            switch character {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where andQuotes: escaped += "\\\""
            default: escaped.append(character)
            }
        }
    }
}
