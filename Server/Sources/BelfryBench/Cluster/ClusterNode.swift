import BelfryCommand
import BelfryModel
import Foundation

/// A server of a Citus cluster on this machine, in a folder that `Scripts/with-citus` has made.
struct ClusterNode: Sendable {
    let folder: URL
    let port: Int

    init(_ folder: URL) throws {
        self.folder = folder
        let text = try String(contentsOf: folder.appending(path: "port"), encoding: .utf8)
        guard let port: Int = WholeNumber.read(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw ClusterBenchError.noNode(folder.path)
        }
        self.port = port
    }

    /// Ends all processes of the server at once, as a power cut would.
    func kill() async throws {
        try await run("signal", ["KILL"])
    }

    /// Starts the server after that, and waits until it accepts connections.
    func start() async throws {
        try await run("start", [])
    }

    private func run(_ script: String, _ arguments: [String]) async throws {
        let (status, _) = try await ChildProcess.run(folder.appending(path: script), arguments)
        guard status == 0 else { throw ClusterBenchError.scriptFailed(script, of: folder.lastPathComponent, status) }
    }
}

/// What happens to a cluster while it is used.
struct ClusterTrouble: Sendable {
    /// The worker that is killed.
    let worker: ClusterNode
    /// The worker that joins.
    let spare: ClusterNode
    /// How long the killed worker is away.
    let away: Duration
}
