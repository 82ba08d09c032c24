/// Parses requests. Unknown keys are errors, as in `config.toml`: a mistyped key must not count as one that is left
/// out.
enum RequestReader {
    /// Parses a request.
    ///
    /// - Parameter octets: its payload, any octets.
    static func read(_ verb: RequestVerb, _ octets: [UInt8]) throws(RequestError) -> Request {
        if verb == .monitor { return .monitor(try RegionDefinition(text: octets)) }
        let entries = try object(octets)
        switch verb {
        case .state:
            let fields = try RequestFields(entries, known: ["region", "major", "minor", "limit", "next"])
            return .state(try state(fields))
        case .range:
            let fields = try RequestFields(entries, known: ["region", "major", "minor"])
            return .range(
                region: try fields.required("region"),
                RegionInstanceID.Discriminator(major: try fields.value("major"), minor: try fields.value("minor")))
        case .location:
            let fields = try RequestFields(entries, known: ["timeout_s"])
            return .location(
                timeout: .seconds(try fields.number("timeout_s", 1...300) ?? Request.locationTimeout_s))
        case .stop, .monitor:
            let fields = try RequestFields(entries, known: ["region"])
            return .stop(region: try fields.required("region"))
        }
    }

    private static func state(_ fields: RequestFields) throws(RequestError) -> StateRequest {
        let region = try fields.text("region")
        let major = try fields.value("major")
        let minor = try fields.value("minor")
        if region == nil, major != nil {
            throw RequestError(.invalidRequest, "\"major\": needs a region beside it")
        }
        if major == nil, minor != nil {
            throw RequestError(.invalidRequest, "\"minor\": needs a major beside it")
        }
        let limit = try fields.integer("limit", 1...Int64(StateRequest.maxLimit))
        return StateRequest(
            region: region, major: major, minor: minor, limit: limit.map { Int($0) } ?? StateRequest.maxLimit,
            start: try fields.integer("next", 0...Int64(Int32.max)).map { Int($0) } ?? 0)
    }

    static func object(_ octets: [UInt8]) throws(RequestError) -> [String: DocumentValue] {
        if octets.isEmpty {
            throw RequestError(.malformedJSON, "the request is empty; it must be a JSON object, {} at least")
        }
        let value: DocumentValue
        do throws(JSONError) {
            value = try JSONReader.read(octets).value()
        } catch {
            throw RequestError(.malformedJSON, "not valid JSON: \(error)")
        }
        guard case .object(let entries) = value else {
            throw RequestError(.invalidRequest, "a request must be a JSON object, not \(value.kind)")
        }
        return entries
    }
}

struct RequestFields {
    private let entries: [String: DocumentValue]

    init(_ entries: [String: DocumentValue], known: [String]) throws(RequestError) {
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
            guard known.contains(key) else {
                throw RequestError(
                    .invalidRequest,
                    "\(RequestError.quoted(key)): unknown key; known are \(known.joined(separator: ", "))")
            }
            if value == .null { throw .notNull(key) }
        }
        self.entries = entries
    }

    func text(_ key: String) throws(RequestError) -> String? {
        switch entries[key] {
        case nil: return nil
        case .string(let text): return text
        case .some(let value): throw wrongType(key, "text", value)
        }
    }

    func required(_ key: String) throws(RequestError) -> String {
        guard let text = try text(key) else {
            throw RequestError(.invalidRequest, "\"\(key)\": is missing; must be the id of a region")
        }
        return text
    }

    func integer(_ key: String, _ range: ClosedRange<Int64>) throws(RequestError) -> Int64? {
        guard let value = entries[key] else { return nil }
        guard value.isInteger else { throw wrongType(key, "an integer", value) }
        guard let integer = value.integer, range.contains(integer) else {
            throw RequestError(
                .invalidRequest, "\"\(key)\": must be from \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }

    func number(_ key: String, _ range: ClosedRange<Double>) throws(RequestError) -> Double? {
        let number: Double
        switch entries[key] {
        case nil: return nil
        case .integer(let integer): number = Double(integer)
        case .number(let value): number = value
        case .some(let value): throw wrongType(key, "a number", value)
        }
        guard range.contains(number) else {
            throw RequestError(
                .invalidRequest,
                "\"\(key)\": must be from \(JSONWriter.decimal(range.lowerBound, decimals: 3)) to "
                    + JSONWriter.decimal(range.upperBound, decimals: 3))
        }
        return number
    }

    /// Returns a major or a minor.
    func value(_ key: String) throws(RequestError) -> UInt16? {
        try integer(key, 0...Int64(UInt16.max)).map { UInt16(clamping: $0) }
    }

    private func wrongType(_ key: String, _ wanted: String, _ found: DocumentValue) -> RequestError {
        RequestError(.invalidRequest, "\"\(key)\": must be \(wanted), not \(found.kind)")
    }
}
