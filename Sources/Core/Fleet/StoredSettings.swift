/// The ledger as a file of the state folder, JSON:
///
///     {"schema": 1, "highest": 7, "state": "watched", "revisions": [{"version": 7, "tables": {…}}, {"version": 0, …}],
///      "open": 1, "since_us": 81000000, "boot": "…", "report": {…}}
///
/// The first revision is in effect. The others are those to go back to; version 0 is the file alone.
extension SettingsLedger {
    /// The longest file, octets: the revisions in effect and before, and a report. The canonical form of a number may be six times
    /// as long as the number was in the message: `1e20` has 21 digits.
    package static let maxOctets = (maxFormer + 2) * 6 * DesiredSettings.maxOctets

    private enum StateWord: String, CaseIterable {
        case file, watched, settled
    }

    /// Reads a stored ledger. Octets that were not written by `stored` are an error: the file is damaged, or of a later
    /// release.
    package init(stored octets: [UInt8]) throws(PayloadError) {
        var fields = try PayloadFields(octets)
        _ = try fields.integer("schema", 1...1)
        highestVersion = try fields.integer("highest", 0...SettingsReport.versions.upperBound)
        let word: StateWord = try fields.word("state")
        let revisions = try fields.list("revisions") { fields throws(PayloadError) -> Revision? in
            try Revision.stored(&fields)
        }
        guard revisions.count <= Self.maxFormer + 1 else {
            throw PayloadError("revisions", .mustBeOneOf("at most \(Self.maxFormer + 1) of them"))
        }
        report = try fields.objectIfPresent("report", SettingsReport.init)
        guard word != .file, case .some(.some(let current)) = revisions.first else {
            guard word == .file else { throw PayloadError("revisions", .missing) }
            return
        }
        guard word == .watched else {
            state = .settled(current)
            return
        }
        state = .watched(
            current,
            Probation(
                openProcesses: try fields.integer("open", 0...Self.maxFailures),
                since: Instant(microseconds: try fields.integer("since_us", 0...Int64.max)),
                bootID: try fields.text("boot"), former: Array(revisions.dropFirst())))
    }

    /// The file's content, UTF-8.
    package var stored: [UInt8] {
        var json = JSONWriter()
        json.set("schema", 1)
        json.set("highest", highestVersion)
        var revisions: [Revision?] = []
        switch state {
        case .file: json.set("state", StateWord.file)
        case .settled(let revision):
            json.set("state", StateWord.settled)
            revisions = [revision]
        case .watched(let revision, let probation):
            json.set("state", StateWord.watched)
            json.set("open", probation.openProcesses)
            json.set("since_us", max(0, probation.since.microseconds))
            json.set("boot", probation.bootID)
            revisions = [revision] + probation.former
        }
        json.set("revisions", objectsFor: revisions) { revision, json in
            json.set("version", revision?.version ?? 0)
            json.set("tables", object: CanonicalJSON.octets(of: .object(revision?.tables ?? [:])))
        }
        if let report { json.set("report") { json in report.write(to: &json) } }
        return json.finish()
    }
}

extension SettingsLedger.Revision {
    /// Returns `nil` for the file alone.
    fileprivate static func stored(_ fields: inout PayloadFields) throws(PayloadError) -> Self? {
        let version: Int64 = try fields.integer("version", 0...SettingsReport.versions.upperBound)
        let tables = try fields.object("tables")
        return version == 0 ? nil : Self(version: version, tables: tables)
    }
}
