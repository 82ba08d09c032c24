import Foundation
import Testing

@testable import Agent
@testable import Core

@Suite("A trial of the state folder finds what an outbox would, and leaves everything as it was")
struct TrialTests {
    private let folder = TemporaryFolder()

    private func run(_ path: String? = nil) -> StateFolderTrial.Finding {
        StateFolderTrial.run(directory: path ?? folder.path, owner: "beacons/store/gw", limits: generous)
    }

    private func obstacle(_ path: String? = nil) -> StateObstacle? {
        guard case .refused(let condition) = run(path) else { return nil }
        #expect(condition.cause == .cannotOpen && condition.remedy == condition.obstacle?.remedy)
        return condition.obstacle
    }

    private func files(_ path: String? = nil) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path ?? folder.path).sorted()) ?? ["no folder"]
    }

    @Test("An empty folder stays empty, one that is missing stays missing, and a used one keeps what is in it")
    func leavesNothing() throws {
        #expect(run() == .writable && files() == [])
        let missing = folder.path + "/missing"
        #expect(run(missing) == .writable && files(missing) == ["no folder"])
        let outbox = try Outbox.open(folder, events: 3)
        outbox.close()
        let before = files()
        #expect(run() == .writable && files() == before)
        #expect(try Outbox.open(folder).drain().map(\.seq) == [1, 2, 3])
    }

    @Test("A folder in use is left alone, and the finding shows whether its agent is this gateway's")
    func held() throws {
        let owner = Gateway(name: "beacons/store/gw")
        let outbox = try Outbox.open(folder, owner: owner, events: 1)
        let before = files()
        #expect(run() == .heldByOwner && files() == before)
        let other = StateFolderTrial.run(directory: folder.path, owner: "beacons/store/other", limits: generous)
        #expect(other == .held(by: "beacons/store/gw"))
        try outbox.commitEvents(1)
        #expect(outbox.isDurable)
    }

    @Test("The obstacle in the folder's place is named: a file, a link to nothing, a file system without folders")
    func noFolder() throws {
        let file = folder.path + "/file"
        try Data().write(to: URL(fileURLWithPath: file))
        #expect(obstacle(file) == .notAFolder(path: file))
        #expect(obstacle(file + "/state") == .notAFolder(path: file))
        #expect(obstacle(folder.path + "/a/b") == .noParent(path: folder.path + "/a"))
        let link = folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/nonexistent")
        #expect(obstacle(link) == .danglingLink(path: link))
        #expect(obstacle("/proc/x") == .takesNoFolders(path: "/proc"))
    }

    @Test("The obstacle in a file's place is named", arguments: ["outbox.lock", "outbox.sqlite"])
    func noFile(name: String) throws {
        let path = folder.path + "/" + name
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(obstacle() == .notAFile(path: path, kind: .folder))
        #expect(files() == [name])
        rmdir(path)
        mkfifo(path, 0o600)
        #expect(obstacle() == .notAFile(path: path, kind: .pipe))
    }

    @Test("An outbox reports the same obstacle, in one log line")
    func outboxSays() throws {
        try FileManager.default.createDirectory(atPath: folder.database, withIntermediateDirectories: false)
        let outbox = try Outbox.open(folder)
        #expect(outbox.condition?.obstacle == .notAFile(path: folder.database, kind: .folder))
        #expect(outbox.takeReports().first?.contains("\(folder.database) is a folder, not a regular file") == true)
        rmdir(folder.database)
        outbox.tick(100)
        #expect(outbox.isDurable)
    }

    @Test("A file of another format is found, and left as it is")
    func otherFormat() throws {
        try Database(path: folder.database).execute("PRAGMA user_version = 1")
        guard case .refused(let condition) = run() else {
            Issue.record("the format is not found")
            return
        }
        #expect(
            condition.finding == "\(folder.database) has format 1, and this beacond reads format \(Schema.version)")
        #expect(files() == ["outbox.sqlite"])
    }

    @Test("A damaged file is found, and left as it is")
    func damaged() throws {
        try Data(
            "no database at all, but long enough for a header of one hundred bytes or so, to be looked at by SQLite."
                .utf8
        ).write(to: URL(fileURLWithPath: folder.database))
        guard case .refused(let condition) = run() else {
            Issue.record("damage is not found")
            return
        }
        #expect(condition.cause == .damaged)
        #expect(files() == ["outbox.sqlite"])
    }
}

/// An owner to which other owners' events do not matter.
private struct Gateway: OutboxOwner {
    let name: String
    func owner(ofTopic topic: String) -> String? { nil }
    func legacy(of records: [OutboxRecord], leftBy former: String) -> [OutboxRecord] { [] }
}
