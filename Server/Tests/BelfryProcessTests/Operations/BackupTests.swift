import BelfryServerTestSupport
import BelfryWire
import Foundation
import Testing

/// The back-ups of `Docs/Operations/Backup.md`, as they stand there.
@Suite("Back-ups")
struct BackupTests {
    private static let page = "Docs/Operations/Backup.md"
    /// Events that were acknowledged before a back-up began.
    private static let before = 40

    /// A line that fails ends the script, as a reader would stop there.
    private static func block(_ mark: String) throws -> String {
        "set -eo pipefail\n" + (try DocumentedCommands.block(after: "<!-- \(mark)", in: page))
    }

    @Test(
        "FLEET-10, STO-1: a copy of SQLite that is taken while the server writes has all that was acknowledged before",
        .timeLimit(.minutes(10))
    )
    func sqlite() async throws {
        try await withStage { stage in
            let environment = ["BELFRY_DATA": stage.dataDirectory.path]
            let (device, events) = try await stage.withServer { server in
                try await stage.admin(server).createApp()
                let device = DeviceCaller(server: server, http: stage.http)
                try await device.linkAnonymously()
                let events = try await writing(device) {
                    _ = try await stage.shell(try Self.block("backup-sqlite"), environment: environment)
                }
                return (device, events)
            }
            _ = try await stage.shell(try Self.block("restore-sqlite"))
            let restored = stage.folder.appending(path: "restored", directoryHint: .isDirectory)
            try await stage.withServer(data: restored) { server in
                try await expectRestored(events, of: device, server, stage)
            }
        }
    }

    @Test(
        "FLEET-10, STO-2: a dump of PostgreSQL that is taken while servers write has all that was acknowledged before",
        .timeLimit(.minutes(10))
    )
    func postgres() async throws {
        try await withStage { stage in
            let names = ["live", "restored"].map { "\($0)_\(UUID().uuidString.lowercased().replacing("-", with: ""))" }
            let main = try #require(ProcessInfo.processInfo.environment["BELFRY_TEST_POSTGRES"])
            let addresses = names.map { main.replacing("/postgres", with: "/\($0)") }
            let environment = [
                "MAIN": main, "BELFRY_DATABASE": addresses[0], "RESTORED_DATABASE": addresses[1],
            ]
            let drops = names.map { "psql --quiet \"$MAIN\" --command 'DROP DATABASE IF EXISTS \($0) WITH (FORCE)'" }
            let create =
                "psql --quiet \"$MAIN\" --command 'CREATE DATABASE \(names[0]) ENCODING UTF8 TEMPLATE template0'"
            _ = try await stage.shell(create, environment: environment)
            let (device, events) = try await stage.withServer(
                environment: ServerDatabase.environment(addresses[0])
            ) { server in
                try await stage.admin(server).createApp()
                let device = DeviceCaller(server: server, http: stage.http)
                try await device.linkAnonymously()
                let events = try await writing(device) {
                    _ = try await stage.shell(try Self.block("backup-postgres"), environment: environment)
                }
                return (device, events)
            }
            let restore = try Self.block("restore-postgres").replacing(
                "DATABASE restored", with: "DATABASE \(names[1])")
            _ = try await stage.shell(restore, environment: environment)
            let other = stage.folder.appending(path: "other", directoryHint: .isDirectory)
            try await stage.withServer(data: other, environment: ServerDatabase.environment(addresses[1])) { server in
                try await expectRestored(events, of: device, server, stage)
            }
            _ = try await stage.shell(drops.joined(separator: "\n"), environment: environment)
        }
    }

    /// Sends events until the body has ended.
    ///
    /// - Returns: those that were acknowledged before it began.
    private func writing(_ device: DeviceCaller, while body: @escaping () async throws -> Void) async throws -> [String]
    {
        let ids = (0..<Self.before).map { _ in UUID().uuidString }
        for id in ids { try await device.send([.custom("before", id: id)]) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while !Task.isCancelled {
                    // The last one may be cut off.
                    try? await device.send([.custom("meanwhile", id: UUID().uuidString)])
                }
            }
            try await body()
            group.cancelAll()
        }
        return ids
    }

    /// Everything is there, and the device goes on: its token, which the secret has signed, is still good.
    private func expectRestored(
        _ events: [String], of device: DeviceCaller, _ server: ServerProcess, _ stage: Stage
    ) async throws {
        await device.move(to: server)
        let last = UUID().uuidString
        try await device.send([.custom("after", id: last)])
        let stored = Set(try await stage.admin(server).eventIDs(of: device.id).map { $0.uppercased() })
        let missing = (events + [last]).filter { !stored.contains($0) }
        #expect(missing.isEmpty)
    }
}
