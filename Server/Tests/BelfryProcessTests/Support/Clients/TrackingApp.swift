import Foundation
import Testing

/// An app with the SDK in a process of its own (`TrackingProbe`), and what it said before it was killed.
struct TrackingApp {
    let stage: Stage
    /// The installation, the same in every run that lived long enough to say so.
    private(set) var devices: Set<String> = []
    /// Run → the last event whose `track` had returned.
    private(set) var said: [String: Int] = [:]

    /// Starts it, and ends it as the system ends an app: without a word.
    ///
    /// - Parameters:
    ///   - run: names the events of this run.
    ///   - server: where it uploads to, or an address where nobody listens.
    ///   - count: how many events it tracks at most.
    ///   - whenReached: how many of them have returned when it is killed; 0 for as soon as it has been started.
    ///   - steps: how many steps of this process later.
    mutating func track(
        _ run: String, to server: String, count: Int, killedWhenReached moment: Int, andThen steps: Int
    ) async throws {
        let process = try start(run, to: server, count: count)
        var lines = process.lines.makeAsyncIterator()
        var last = 0
        while last < moment, let line = await lines.next() {
            last = hear(line) ?? last
        }
        for _ in 0..<steps { await Task.yield() }
        process.send(SIGKILL)
        let exit = await process.exit
        #expect(exit == .signal(SIGKILL), "Run \(run) ended with \(exit): \(process.standardError)")
        while let line = await lines.next() {
            last = hear(line) ?? last
        }
        said[run] = last
    }

    /// Runs it without tracking, for as long as the body takes: what waits is uploaded.
    mutating func upload(to server: String, while body: (_ device: String) async throws -> Void) async throws {
        let process = try start("upload", to: server, count: 0)
        var lines = process.lines.makeAsyncIterator()
        let outcome: Result<Void, any Error>
        do {
            if let line = await lines.next() { _ = hear(line) }
            let device = try #require(devices.first, "It said nothing: \(process.standardError)")
            outcome = .success(try await body(device))
        } catch {
            outcome = .failure(error)
        }
        process.send(SIGKILL)
        _ = await process.exit
        try outcome.get()
    }

    private func start(_ run: String, to server: String, count: Int) throws -> ProgramRun {
        try ProgramRun.start(
            [stage.folder.appending(path: "app").path, server, run, "\(count)"],
            program: try ProgramFile.locate("TrackingProbe"), folder: stage.folder
        )
    }

    /// - Returns: the number that it said, if it was one.
    private mutating func hear(_ line: String) -> Int? {
        if line.hasPrefix("device ") { devices.insert(String(line.dropFirst("device ".count))) }
        return Int(line)
    }
}
