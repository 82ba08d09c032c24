/// Writes Prometheus' text exposition format, version 0.0.4: for each metric a line on what it means, one on its type, and
/// one for each sample.
///
/// https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
package struct PrometheusText {
    package enum Kind: String {
        /// It only grows while the process lives. Its name ends in `_total`.
        case counter
        case gauge
    }

    /// A value, and what tells it apart from the others of its metric.
    struct Sample {
        package var label: (name: String, value: String)?
        /// As it is written.
        package var value: String

        init(_ value: some BinaryInteger, label: (name: String, value: String)? = nil) {
            self.value = String(value)
            self.label = label
        }

        init(_ value: Double, label: (name: String, value: String)? = nil) {
            self.value = JSONWriter.decimal(value.isFinite ? value : 0, decimals: 6)
            self.label = label
        }

        init(_ value: Bool, label: (name: String, value: String)? = nil) {
            self.init(value ? 1 : 0, label: label)
        }
    }

    private(set) var text = ""
    /// What every sample has beside its own label; `nil` for nothing.
    private let common: (name: String, value: String)?

    init(labelled common: (name: String, value: String)? = nil) { self.common = common }

    /// A metric. One without samples is left out.
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
