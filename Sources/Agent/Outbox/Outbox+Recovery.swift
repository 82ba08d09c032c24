import Core

extension Outbox {
    /// Passes time: tries a failing disk again when that is due, and deletes in the file what was acknowledged long enough
    /// ago. Call it about once a second.
    ///
    /// - Parameter wallTime: Part of the name of an epoch that has to begin.
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

    /// Writes what can still be written, closes the file and lets another process have the folder. What is committed
    /// afterwards stays in memory.
    ///
    /// A disk that refused is tried once more, due or not: it may work again, and what is in memory alone would be lost.
    package func close() {
        if condition != nil { recover() }
        if folder != nil, isDurable, bookkeeping.acknowledgedCount > 0 || bookkeeping.areGapsChanged {
            persistPending()
        }
        if isDurable { _ = try? checkpoint(truncatesLog: true) }
        mode.closed()
        folder?.release()
    }

    /// Goes on in memory until the disk works again.
    ///
    /// - Parameter mayReplace: see `OutboxMode.failed`.
    func fail(_ error: DiskError, mayReplace: Bool = true) {
        let (error, unreadableSince) = DiskFault.judge(
            error, refusal: error.isDamage ? folder?.readFailure() : nil, since: mode.fault?.unreadableSince, at: now)
        let condition = OutboxCondition(
            error, directory: folder?.path ?? "", obstacle: folder?.obstacle(to: error))
        let fault = DiskFault(condition, unreadableSince: unreadableSince, after: mode.fault, at: now)
        mode.failed(fault, error, mayReplace: mayReplace)
        reports.say(condition)
        // It may be the damaged file that fills the disk. What could be read from it is in memory.
        if error.isFull, mode.isSalvaged { folder?.tidyDamagedFile(limit: limits.damagedBytes) }
    }

    /// Tries to work on the disk: takes one step after the other until nothing is left to do. A damaged file is replaced on the spot,
    /// once: a disk that damages every file waits its turn.
    func recover() {
        guard let folder else { return }
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

    /// Writes what is in memory alone, and shows that the database itself can be written too.
    private func writeOut(in folder: any OutboxFolder) throws(DiskError) {
        try persist()
        // A process that was killed as it replaced a secret has left the former one in the log.
        try checkpoint(truncatesLog: true)
        if mode.written() != nil { reports.say("outbox: the disk works again; what was in memory is committed") }
        reports.forgetFaults()
        if folder.hasReplacedFile { folder.tidyDamagedFile(limit: limits.damagedBytes) }
        files.note(folder)
    }
}
