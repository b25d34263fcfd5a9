import Foundation
import Testing

/// Three PostgreSQL servers of a test's own under Patroni, one of which takes the writes (FLEET-7).
struct PatroniCluster: Sendable {
    /// Debian's packages start services of their own, so `Scripts/setup` leaves them to whoever wants this tested.
    static let reason: Comment = "NOT tested here: install Debian's packages patroni, etcd-server and python3-etcd"
    static let isInstalled = ["/usr/bin/patroni", "/usr/bin/etcd"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    struct Node: Sendable, Hashable {
        let folder: URL
        /// Of Patroni's REST API.
        let api: String

        var name: String { folder.lastPathComponent }
    }

    /// What Patroni says of a node.
    private struct Member: Decodable {
        let name: String
        let role: String
        let state: String
        let port: Int?
    }

    /// As `belfry serve` takes it: with all servers and a password.
    let address: String
    let nodes: [Node]
    private let stage: Stage

    fileprivate init(_ lines: [String], _ stage: Stage) throws {
        address = lines[0]
        nodes = try lines[1].split(separator: " ").map { path in
            let folder = URL(filePath: String(path))
            let api = try String(contentsOf: folder.appending(path: "api"), encoding: .utf8)
            return Node(folder: folder, api: api.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        self.stage = stage
    }

    /// The node that takes the writes; nil while none does.
    ///
    /// - Parameter dead: one that is not asked.
    func leader(except dead: Node? = nil) async -> Node? {
        for node in nodes where node != dead {
            let answer = try? await stage.http.answer(.GET, "\(node.api)/primary")
            if answer?.status == 200 { return node }
        }
        return nil
    }

    /// The address of the server alone that has every commit before it is acknowledged; nil while none does, or while
    /// one of the three is missing.
    func standby() async -> String? {
        for node in nodes {
            guard let members = try? await members(asking: node) else { continue }
            let whole = members.filter { ["running", "streaming"].contains($0.state) }
            guard whole.map(\.role).sorted() == ["leader", "replica", "sync_standby"] else { return nil }
            let port = whole.first { $0.role == "sync_standby" }?.port
            return port.map { "postgres://belfry:open-sesame@127.0.0.1:\($0)/belfry" }
        }
        return nil
    }

    private func members(asking node: Node) async throws -> [Member] {
        struct Cluster: Decodable { let members: [Member] }
        return try await stage.http.answer(.GET, "\(node.api)/cluster").decoded(as: Cluster.self).members
    }

    /// Ends a node as a power cut would: Patroni and its server.
    func kill9(_ node: Node) async throws {
        try await run("signal", ["KILL"], of: node)
    }

    /// Starts Patroni on a node that was killed.
    func start(_ node: Node) async throws {
        try await run("start", [], of: node)
    }

    private func run(_ script: String, _ arguments: [String], of node: Node) async throws {
        let run = try ProgramRun.start(
            arguments, program: node.folder.appending(path: script), folder: stage.folder
        )
        let exit = await run.exit
        try #require(exit == .code(0), "\(run.standardError)")
    }
}

extension Stage {
    /// Runs the three servers, and ends them however the body ends.
    func withPatroniCluster(_ body: (PatroniCluster) async throws -> Void) async throws {
        let said = #"echo "$BELFRY_TEST_PATRONI"; echo "$BELFRY_TEST_PATRONI_NODES""#
        try await withServers(of: "Scripts/with-patroni", saying: said, lines: 2) { lines in
            try await body(try PatroniCluster(lines, self))
        }
    }
}
