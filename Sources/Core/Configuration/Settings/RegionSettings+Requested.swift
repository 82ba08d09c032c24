extension RegionSettings {
    /// Reads a region that a request defines, by the very rules of a `[[region]]` in the file: the same keys, the same
    /// limits, and what it leaves out comes from `[regions]`.
    ///
    /// - Throws: all that is wrong with it. An id that the file uses is wrong too.
    package func region(_ definition: RegionDefinition) throws(ConfigurationErrors) -> MonitoredRegion {
        let table = Tables.known.region
        var reader = TableReader(
            path: table.reference.name, table: table.reference, entries: definition.entries.mapValues(\.node))
        var taken = Set(configured.map(\.id))
        let region = table.keys.read(&reader, rules: rules, circleRules: circleRules, taken: &taken)
        if let id = region?.id, id.utf8.count > maxRequestedID_bytes {
            reader.refuse(
                table.keys.id, id, beside: table.keys.id.name,
                "must have at most \(max(0, maxRequestedID_bytes)) bytes here, so that its topics have at most "
                    + "\(TopicName.maxTopic_bytes), which is what brokers take")
        }
        guard let region, reader.errors.isEmpty else { throw ConfigurationErrors(reader.errors) }
        return region
    }
}

extension JSONValue {
    /// The TOML value that says the same. TOML has no null: it becomes an empty list, which no key of a region takes.
    fileprivate var node: TOMLNode {
        switch self {
        case .null: .array([])
        case .boolean(let value): .boolean(value)
        case .integer(let value): .integer(value)
        case .number(let value): integer.map { .integer($0) } ?? .float(value)
        case .string(let value): .string(value)
        case .array(let values): .array(values.map(\.node))
        case .object(let entries): .table(entries.mapValues(\.node))
        }
    }
}
