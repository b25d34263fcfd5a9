import BelfryCommand
import BelfryModel
import BelfryServices
import BelfrySQLite
import BelfryStore
import Foundation
import ServiceLifecycle

/// Runs `belfry bench audience`: counts audiences with the server's own use case, on a database file of its own.
struct AudienceBench: Service {
    /// The durations of one query in each round, and the number of devices that it found.
    struct DeviceCounts: Sendable {
        var devices = 0
        var durations: [Duration] = []
    }

    /// A condition that two thirds of all devices meet, found by a table scan.
    static let wide = Condition.all([
        .attribute("age", .greaterOrEqual(18)), .attribute("plan", .isIn(["gold", "silver"])),
        .attribute("vip", .equal(false)),
    ])
    /// A condition that less than one device in a hundred meets, found by an index.
    static let narrow = Condition.all([
        .attribute("age", .greaterOrEqual(18)), .attribute("city", .equal("City 7")), .attribute("vip", .equal(false)),
    ])
    /// The condition ``wide`` as SQL over the JSON in which attributes are stored: each contact has one device.
    private static let jsonSQL: SQLText = """
        SELECT count(*) FROM contacts WHERE json_extract(attributes, '$.age') >= 18
            AND json_extract(attributes, '$.plan') IN ('gold', 'silver') AND json_extract(attributes, '$.vip') = 0
        """

    let devices: Int
    let rounds: Int
    let json: Bool

    func run() async throws {
        let report = try await BenchFolder.run { folder in
            let file = folder.appending(path: "belfry.sqlite")
            let begin = ContinuousClock().now
            try await AudienceBenchPeople(file: file).write(devices)
            let filling = ContinuousClock().now - begin
            return try await measure(file, filling: filling)
        }
        Console.say(json ? try report.jsonLine() : report.table)
    }

    private func measure(_ file: URL, filling: Duration) async throws -> AudienceBenchReport {
        let database = try SQLiteDatabase(path: file.path, questions: .live)
        defer { try? database.close() }
        let audiences = AudienceCounter(database: database, environment: .live)
        guard let app = try await database.read({ try $0.apps.all().first }) else {
            throw StoreError.corrupted(table: "apps", key: "the benchmark's")
        }
        var (walk, indexed, stored) = (DeviceCounts(), DeviceCounts(), DeviceCounts())
        // In the first round the file is in no cache, so it does not count.
        for round in 0...rounds {
            try await walk.add(round) { try await audiences.count(Self.wide, app: app) }
            try await indexed.add(round) { try await audiences.count(Self.narrow, app: app) }
            try await stored.add(round) {
                try await database.read { try $0.first(Self.jsonSQL, []) { Int($0.integer(0)) } ?? 0 }
            }
        }
        return AudienceBenchReport(
            devices: devices, rounds: rounds, walk: walk, indexed: indexed, stored: stored, filling: filling
        )
    }
}

extension AudienceBench.DeviceCounts {
    fileprivate mutating func add(_ round: Int, _ question: () async throws -> Int) async throws {
        let begin = ContinuousClock().now
        devices = try await question()
        if round > 0 { durations.append(ContinuousClock().now - begin) }
    }
}
