import Core

/// Someone deletes, moves or replaces files in the state folder while they are open.
///
/// What is written to them from then on is lost with the process, though nothing ever fails. The open file still has
/// everything that it had, so it is copied to where it belongs. Numbers do not go on in its epoch: the file that was
/// moved away, perhaps with its whole disk, may come back and would give them again.
extension Outbox {
    /// Looks whether the files in the folder are still those that are open, and mends what is not.
    func lookAtFiles() {
        guard let folder, isDurable, let finding = files.look(at: now, in: folder) else { return }
        mode.missed(finding)
        if finding == .logReplaced {
            reports.say("outbox: outbox.sqlite-wal was deleted or replaced; it is begun anew, and nothing is lost")
        }
        recover()
    }

    /// Makes the file anew where it belongs, out of the one that is open.
    func carryOver(_ old: EventStore, to folder: any OutboxFolder) throws(DiskError) {
        do throws(DiskError) {
            try folder.makeReplacement { path throws(DiskError) in try old.database.copy(to: path) }
            try folder.putReplacementInPlace()
        } catch {
            // It may be the old file's disk that is gone. What can't be read any more is stated as a gap when a new
            // file has been begun.
            if (try? old.count()) == nil { mode.letGo() }
            throw error
        }
        // It closes before the other opens: it deletes a log by that name.
        mode.letGo()
        reports.say(
            "outbox: outbox.sqlite was deleted or replaced; it is made anew with all that it held, in a new epoch")
        if bookkeeping.isEpochStored { beginEpoch() }
    }
}
