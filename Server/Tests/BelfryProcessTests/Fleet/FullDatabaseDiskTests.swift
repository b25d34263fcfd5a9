import BelfryModel
import BelfryTestSupport
import BelfryWire
import Foundation
import Testing

/// REL-6: PostgreSQL has its files on disks that really get full. Its data is on one and its write-ahead log on another, so
/// that a test decides which of them it is. Belfry has no floor, and is not told of any disk.
@Suite("The disk of PostgreSQL is full", .enabled(if: SmallDisk.isPermitted, SmallDisk.reason), .serialized)
struct FullDatabaseDiskTests {
    /// The size of each disk.
    private static let megabytes = 96
    /// What others leave to PostgreSQL.
    private static let left = 3 * 1_048_576

    /// Events that are sent together, with which a disk is filled soon: nothing in them is twice, so no engine makes them
    /// shorter.
    private struct Batch {
        let events: [WireEvent]
        var ids: [String] { events.compactMap(\.id) }

        init() {
            events = (0..<10).map { _ in
                let attributes = (0..<8).map { number in
                    ("a\(number)", AttributeValue.string((0..<6).map { _ in UUID().uuidString }.joined()))
                }
                return WireEvent.custom(
                    "filling", id: UUID().uuidString, attributes: Dictionary(uniqueKeysWithValues: attributes)
                )
            }
        }
    }

    /// A server, its database, and a device that fills it.
    private struct Scene {
        let disks: (data: SmallDisk, log: SmallDisk)
        let cluster: PostgresCluster
        let server: ServerProcess
        let stage: Stage
        let admin: AdminCaller
        let device: DeviceCaller

        func readiness() async throws -> HTTPCaller.Response {
            try await stage.http.answer(.GET, "\(server.address)/readyz")
        }

        /// Sends events until a call is refused.
        func fill() async throws -> (kept: [String], refused: Batch, response: HTTPCaller.Response) {
            var kept: [String] = []
            while true {
                let batch = Batch()
                let response = try await device.attempt(batch.events)
                guard response.status == 204 else { return (kept, batch, response) }
                kept += batch.ids
                try #require(kept.count < 50_000, "The disk does not fill up.")
            }
        }

        /// Sends what was refused once more, with the same ids, as a device does.
        func repeatRefused(_ batches: [Batch]) async throws {
            for batch in batches {
                try await eventually("the events are taken") {
                    try await device.attempt(batch.events).status
                } until: {
                    $0 == 204
                }
            }
        }

        func waitUntilReady() async throws {
            try await eventually("the server serves again by itself") {
                try await readiness().status
            } until: {
                $0 == 200
            }
        }

        /// How many transactions PostgreSQL has failed because its disk is full.
        func timesFull() async throws -> Int {
            try await stage.metric(#"belfry_database_errors_total{sqlstate="53100"}"#, of: server)
        }

        /// Each of these events is stored, and stored once, and no other is.
        func expectStored(_ ids: [String]) async throws {
            let stored = try await admin.eventIDs(of: device.id)
            #expect(stored.count == ids.count, "\(Set(ids).subtracting(stored).count) are missing")
            #expect(Set(stored) == Set(ids))
        }
    }

    private func withScene(_ body: (Scene) async throws -> Void) async throws {
        try await SmallDisk.run(megabytes: Self.megabytes) { data in
            try await SmallDisk.run(megabytes: Self.megabytes) { log in
                try await withStage { stage in
                    try await stage.withPostgresCluster(on: (data: data, log: log)) { cluster in
                        let environment = ServerDatabase.environment(
                            cluster.address(password: PostgresCluster.password)
                        )
                        let options = ["--rate-limit", "off", "--disk-floor", "off"]
                        try await stage.withServer(environment: environment, options: options) { server in
                            let admin = stage.admin(server)
                            try await admin.createApp()
                            let device = DeviceCaller(server: server, http: stage.http)
                            try await device.linkAnonymously()
                            try await body(
                                Scene(
                                    disks: (data: data, log: log), cluster: cluster, server: server, stage: stage,
                                    admin: admin, device: device
                                )
                            )
                            #expect(server.run.ended == nil, "it has never ended: \(server.run.standardError)")
                        }
                    }
                }
            }
        }
    }

    @Test(
        """
        REL-6, SEC-9, WIRE-26, EVT-3: when the disk of PostgreSQL's data is full (53100) calls get 503, reads go on, and \
        the server is not ready until there is room; then it goes on by itself, and each acknowledged event is there once
        """,
        .timeLimit(.minutes(15))
    )
    func dataIsFull() async throws {
        try await withScene { scene in
            let data = scene.disks.data
            try data.takeUp(try data.available - Self.left)
            let (kept, refused, response) = try await scene.fill()
            #expect(!kept.isEmpty)
            #expect(response.status == 503 && "\(response)".contains("storageFull"), "\(response)")
            #expect(response.headers.first(name: "Retry-After") == "5")
            #expect(scene.server.run.standardError.contains("53100"), "\(scene.server.run.standardError)")
            // A small write has room now and then, for example one of the audit log. It does not make the server ready.
            let before = try await scene.timesFull()
            var said: Set<String> = []
            try await eventually("the server has looked for room three times") {
                let readiness = try await scene.readiness()
                said.insert("\(readiness)")
                return try await scene.timesFull()
            } until: {
                $0 >= before + 3
            }
            #expect(said.count == 1 && said.first?.hasPrefix("503") == true, "\(said)")
            #expect(said.first?.contains("storageFull") == true, "\(said)")
            try await scene.expectStored(kept)
            #expect(scene.cluster.isRunning)
            try data.giveBack()
            try await scene.waitUntilReady()
            try await scene.repeatRefused([refused])
            try await scene.expectStored(kept + refused.ids)
        }
    }

    @Test(
        """
        REL-6, WIRE-26, EVT-3: when pg_wal has no room PostgreSQL ends by itself, and calls get 503; once there is room \
        and it is started again the server goes on without a start of its own, and each acknowledged event is there once
        """,
        .timeLimit(.minutes(15))
    )
    func logIsFull() async throws {
        try await withScene { scene in
            let log = scene.disks.log
            try log.takeUp(try log.available - Self.left)
            var kept: [String] = []
            var refused: [Batch] = []
            var answers: Set<Int> = []
            // Where its recovery finds room in the last file of the log, it comes back for as long as that lasts.
            try await eventually("PostgreSQL has ended") {
                let more = try await scene.fill()
                kept += more.kept
                refused.append(more.refused)
                answers.insert(more.response.status)
                return scene.cluster.isRunning
            } until: {
                !$0
            }
            #expect(!kept.isEmpty && answers == [503], "\(answers)")
            // What PostgreSQL has said last may be that a disk is full. Soon it says nothing any more.
            try await eventually("the server says that the database is gone") {
                try await scene.readiness()
            } until: {
                $0.status == 503 && "\($0)".contains("unavailable")
            }
            let health = try await scene.stage.http.answer(.GET, "\(scene.server.address)/healthz")
            #expect(health.status == 200, "the process lives")
            try log.giveBack()
            // As the service manager of PostgreSQL does. Nobody touches Belfry.
            try await scene.cluster.start()
            try await scene.waitUntilReady()
            // Some may be stored already: the connection was lost during a commit.
            try await scene.repeatRefused(refused)
            try await scene.expectStored(kept + refused.flatMap(\.ids))
        }
    }
}
