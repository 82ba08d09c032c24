import Beacons
import Configuration
import Gateway
import Glibc
import HCI
import Messages
import Regions

/// Plays a capture and prints its messages.
struct Replay: ~Copyable {
    private let settings: Settings
    private let printsMessages: Bool
    private var session: ReplaySession?
    private var output = Output(descriptor: STDOUT_FILENO)

    init(settings: Settings, printsMessages: Bool) {
        self.settings = settings
        self.printsMessages = printsMessages
    }

    /// Plays the capture to its end or to the damage, and returns what was wrong.
    mutating func run(path: String) -> CaptureFile.Problem? {
        var problem: CaptureFile.Problem?
        do throws(CaptureFile.Problem) {
            try play(path)
        } catch {
            problem = error
        }
        session?.finish()
        print()
        output.flush()
        return problem
    }

    private mutating func play(_ path: String) throws(CaptureFile.Problem) {
        var file: CaptureFile
        do throws(FileError) {
            file = try CaptureFile(path: path)
        } catch {
            throw .file(error)
        }
        while !output.isBroken {
            let more = try file.next { record, event in
                if session == nil {
                    session = ReplaySession(settings, composer: composer(startingAt: record.time), at: record.time)
                }
                session?.receive(record.event == nil ? nil : event, at: record.time)
            }
            print()
            if !more { return }
        }
    }

    /// The epoch and the key of pseudonyms are made from the capture and the configuration, so that a replay is the same
    /// every time. Who can read the capture has the addresses anyway.
    private func composer(startingAt start: WallTime) -> MessageComposer {
        let topics = TopicTree(
            prefix: settings.mqtt.prefix, site: settings.gateway.site, gateway: settings.gateway.id ?? "gateway")
        return MessageComposer(
            topics: topics, epoch: "replay-\(start.microseconds)", version: Version.current,
            pseudonym: DevicePseudonym(
                form: settings.privacy.device, key: Array("replay of \(topics.root)".utf8),
                deviceNames: settings.tracker.devices.map(\.name)),
            rangingExpiry_s: Expiry.ranging_s(settings.ranging))
    }

    private mutating func print() {
        guard let messages = session?.messages, let start = session?.start else { return }
        for failure in session?.failures ?? [] { Output.complain(failure.description) }
        session?.failures.removeAll()
        if messages.isEmpty { return }
        if printsMessages {
            for timed in messages { output.write(JSONLine.line(timed.message, t_s: (timed.at - start).seconds)) }
        }
        session?.messages.removeAll(keepingCapacity: true)
    }

    /// The closing line on standard error.
    func summarize(seconds: Double) {
        let figures = session?.player.engine.figures
        let rounded = (seconds * 1000).rounded() / 1000
        Output.complain(
            "reports=\(figures?.reports ?? 0) ibeacons=\(figures?.beacons ?? 0) "
                + "rejected=\(figures?.rejects.total ?? 0) tracks=\(figures?.tracks ?? 0) "
                + "events=\(session?.eventCount ?? 0) seconds=\(rounded)")
    }
}
