import Core

extension Outbox {
    /// Passes time: retries a failing disk when that is due, and deletes events from the file that were acknowledged
    /// long enough ago. Call it about once a second.
    ///
    /// - Parameter wallTime: part of the name of a new epoch.
    package func tick(at now: Instant, wallTime: WallTime) {
        self.now = max(self.now, now)
        self.wallTime = wallTime
        recordsAtStart = []
        guard folder != nil else { return }
        lookAtFiles()
        if let fault = mode.fault {
            if now >= fault.retry.due { recover() }
        } else if now >= deletionDue {
            persistPending()
        }
    }

    /// Writes what can still be written, closes the file and releases the folder for another process. Later commits
    /// stay in memory.
    ///
    /// A disk that refused is tried once more, due or not. It may work again, and otherwise everything in memory would
    /// be lost.
    package func close() {
        if condition != nil { recover() }
        if folder != nil, isDurable, bookkeeping.acknowledgedCount > 0 || bookkeeping.areGapsChanged {
            persistPending()
        }
        if isDurable { _ = try? checkpoint(truncatesLog: true) }
        mode.closed()
        folder?.release()
    }

    /// Continues in memory until the disk works again.
    ///
    /// - Parameter mayReplace: see `OutboxMode.failed`.
    func fail(_ error: DiskError, mayReplace: Bool = true) {
        fresh.end()
        let (error, unreadableSince) = DiskFault.judge(
            error, refusal: error.isDamage ? folder?.readFailure() : nil, since: mode.fault?.unreadableSince, at: now)
        let condition = OutboxCondition(
            error, directory: folder?.path ?? "", obstacle: folder?.obstacle(to: error))
        let fault = DiskFault(condition, unreadableSince: unreadableSince, after: mode.fault, at: now)
        mode.failed(fault, error, mayReplace: mayReplace)
        reports.say(condition)
        // Perhaps the damaged file fills the disk. Its readable part is in memory, so the file can go.
        if error.isFull, mode.isSalvaged { folder?.tidyDamagedFile(limit: limits.damagedBytes) }
    }

    /// Tries to work on the disk: takes one step after the other until no step remains. A damaged file is replaced at
    /// once, but only once: a disk that damages every file waits for its next retry.
    func recover() {
        guard let folder else { return }
        fresh.end()
        var mayReplace = true
        for _ in 0..<2 {
            do {
                try folder.hold()
                while let step = mode.nextStep {
                    try take(step, in: folder)
                    if case .setAside = step { mayReplace = false }
                }
                return
            } catch {
                fail(error, mayReplace: mayReplace)
                if !mode.isDamaged { return }
            }
        }
    }

    private func take(_ step: OutboxMode<EventStore>.Step, in folder: any OutboxFolder) throws(DiskError) {
        switch step {
        case .setAside:
            try folder.setDamagedFileAside()
            mode.setAside()
        case .carryOver(let old): try carryOver(old, to: folder)
        case .open: try open(in: folder)
        case .write: try writeOut(in: folder)
        }
    }

    private func open(in folder: any OutboxFolder) throws(DiskError) {
        mode.letGo()
        try folder.makeDatabasePrivate()
        let opened = try EventStore(path: folder.databasePath, vfs: vfs, limits: limits)
        try folder.synchronise()
        salvage(from: folder, into: opened)
        if mode.meeting == .done { try rejoin(opened) } else { try meet(opened) }
        opened.origin = bookkeeping.origin
        mode.opened(opened, isReadOnly: opened.isReadOnly)
        if opened.isReadOnly { throw DiskError.readOnly(folder.databasePath) }
    }

    /// Writes everything that is in memory alone, and proves that the database itself can be written too.
    private func writeOut(in folder: any OutboxFolder) throws(DiskError) {
        try persist()
        // A process that was killed while it replaced a secret has left the former secret in the log.
        try checkpoint(truncatesLog: true)
        if mode.written() != nil { reports.say("outbox: the disk works again; what was in memory is committed") }
        reports.forgetFaults()
        if folder.hasReplacedFile { folder.tidyDamagedFile(limit: limits.damagedBytes) }
        files.note(folder)
    }
}
