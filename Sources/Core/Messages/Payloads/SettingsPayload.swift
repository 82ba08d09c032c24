/// `settings/reported`: the outcome of the settings that an operator has published for this gateway.
struct SettingsPayload: Payload, Hashable {
    package var head: PayloadHead
    var report: SettingsReport
    /// The digest of the settings in effect, 16 lower-case hexadecimal digits.
    var digest: String
}

/// The outcome of one `settings/desired`.
package struct SettingsReport: Hashable, Sendable {
    /// The raw value is the word in the message.
    package enum Outcome: String, CaseIterable, Sendable {
        case applied
        /// The message has an error, and changed nothing.
        case refused
        /// The process ended abnormally twice with these settings, so the former ones are in effect.
        case reverted
    }

    /// The version of the message; `nil` for a message whose version cannot be read.
    package var version: Int64?
    package var outcome: Outcome
    /// The errors of a refused message, at most `maxErrors`; the reason of a reversion.
    package var errors: [SettingsError] = []
    /// The number of further errors.
    var omitted: Int = 0

    static let maxErrors = 100
}

/// One error of `settings/desired`.
package struct SettingsError: Hashable, Sendable {
    /// The table, such as `radio` or `region`; empty for an error of the message as a whole.
    package var table: String = ""
    /// The place in a list of tables, counted from 1; `nil` for a table that stands alone.
    package var index: Int?
    /// The key; empty where the whole table is refused.
    package var key: String = ""
    package var reason: String
    package var remedy: String
}

/// The settings in effect, in `status`.
package struct SettingsInEffect: Hashable, Sendable {
    /// The first 16 lower-case hexadecimal digits of the SHA-256 over the canonical JSON (RFC 8785) of the tables that may
    /// be set over MQTT, defaults included. Gateways with equal settings have equal digests.
    package var digest: String
    /// The version of `settings/desired` in effect; `nil` where the file alone is.
    package var version: Int64?

    package init(digest: String, version: Int64? = nil) {
        self.digest = digest
        self.version = version
    }
}

extension SettingsInEffect {
    init(_ fields: inout PayloadFields) throws(PayloadError) {
        self.init(digest: try fields.text("digest"), version: try fields.integerOrNull("version"))
    }

    func write(to json: inout JSONWriter) {
        json.set("digest", digest)
        json.set("version", integer: version)
    }
}

extension SettingsPayload {
    package func write(to json: inout JSONWriter) {
        report.write(to: &json)
        json.set("digest", digest)
    }
}

extension SettingsReport {
    /// The versions that JSON programs keep exactly (RFC 8785, 3.1).
    static let versions: ClosedRange<Int64> = 1...9_007_199_254_740_991

    private static let numbers = Double(versions.lowerBound)...Double(versions.upperBound)

    init(_ fields: inout PayloadFields) throws(PayloadError) {
        self.init(
            version: try fields.numberOrNull("version", Self.numbers).flatMap { Int64(exactly: $0) },
            outcome: try fields.word("outcome"),
            errors: try fields.list("errors", SettingsError.init),
            omitted: fields.has("omitted") ? try fields.integer("omitted", 1...Int.max) : 0)
    }

    package func write(to json: inout JSONWriter) {
        json.set("version", integer: version)
        json.set("outcome", outcome)
        json.set("errors", objectsFor: errors) { error, json in error.write(to: &json) }
        if omitted > 0 { json.set("omitted", omitted) }
    }
}

extension SettingsError {
    init(_ fields: inout PayloadFields) throws(PayloadError) {
        self.init(
            table: try fields.text("table"),
            index: fields.has("index") ? try fields.integer("index", 1...Int.max) : nil,
            key: try fields.text("key"), reason: try fields.text("reason"), remedy: try fields.text("remedy"))
    }

    func write(to json: inout JSONWriter) {
        json.set("table", table)
        if let index { json.set("index", index) }
        json.set("key", key)
        json.set("reason", reason)
        json.set("remedy", remedy)
    }
}

/// The outcome of settings that an operator has published.
package struct SettingsOutcome: MessageContent {
    package var report: SettingsReport
    /// The digest of the settings in effect.
    package var digest: String

    package init(_ report: SettingsReport, digest: String) {
        self.report = report
        self.digest = digest
    }

    package func publication(by composer: inout MessageComposer, _ context: PublicationContext) -> Publication {
        let head = composer.head(at: context.instant, context.timebase)
        let payload = SettingsPayload(head: head, report: report, digest: digest)
        let topic = composer.topics.topic(.gateway(.settings))
        return Publication([.retained(composer.message(.settings, on: topic, payload.encoded))])
    }
}
