import BelfryModel
import BelfryPostgres
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Synchronization
import Testing

private struct Died: Error {}

/// STO-2: several processes share one database.
struct SharedDatabaseTests {
    @Test("STO-2: what a process has read is still true when it writes", .timeLimit(.minutes(10)))
    func increments() async throws {
        let store = try TestStore(.postgres, writers: 3)
        let others = [try store.another(writers: 2), try store.another()]
        defer { for other in others { try? other.close() } }
        try await store.write { connection in
            try connection.execute("CREATE TABLE counters (id BIGINT PRIMARY KEY, value BIGINT NOT NULL)")
            try connection.executeEach("INSERT INTO counters VALUES (?, 0)", (0..<3).map { [.integer($0)] })
        }
        let databases = [store.database] + others.map(\.database)
        let count = 300
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask {
                    try await databases[number % 3].write { connection in
                        let key: [SQLValue] = [.integer(number % 2)]
                        let value = try connection.first("SELECT value FROM counters WHERE id = ?", key) {
                            $0.integer(0)
                        }
                        try connection.execute(
                            "UPDATE counters SET value = ? WHERE id = ?", [.integer((value ?? 0) + 1)] + key
                        )
                    }
                }
            }
            try await group.waitForAll()
        }
        let sum = try await store.read { try $0.first("SELECT sum(value) FROM counters", []) { $0.integer(0) } }
        #expect(sum == Int64(count))
    }

    @Test(
        "STO-2, WIRE-20: two that find nothing and insert do so once, even without a constraint",
        .timeLimit(.minutes(10)))
    func findThenInsert() async throws {
        let store = try TestStore(.postgres, writers: 2)
        let other = try store.another(writers: 2)
        defer { try? other.close() }
        let app = try await store.write { try $0.makeApp() }
        let databases = [store.database, other.database]
        let ids = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for number in 0..<80 {
                group.addTask {
                    // One installation in two spellings.
                    let text = "00000000-0000-4000-8000-0000000000A\(number % 4)"
                    let client = try DeviceID(number.isMultiple(of: 3) ? text : text.lowercased())
                    return try await databases[number % 2].write {
                        [try $0.devices.findOrInsert(app: app, client: client, now: storeEpoch).id]
                    }
                }
            }
            return try await group.reduce(into: [Int64]()) { $0 += $1 }
        }
        #expect(ids.count == 80 && Set(ids).count == 4)
        #expect(try await store.read { try $0.first("SELECT count(*) FROM devices", []) { $0.integer(0) } } == 4)
    }

    @Test("PUSH-5, STO-2: workers of several processes never get the same batch, and all batches are claimed")
    func claims() async throws {
        let store = try TestStore(.postgres, writers: 2)
        let other = try store.another(writers: 2)
        defer { try? other.close() }
        try await store.write { connection in
            try connection.makeBatches(60, of: try connection.makeCampaign(app: try connection.makeApp()))
        }
        let databases = [store.database, other.database]
        let claimed = try await withThrowingTaskGroup(of: [Batch].self) { group in
            for worker in 0..<6 {
                group.addTask {
                    var mine: [Batch] = []
                    while true {
                        let batches = try await databases[worker % 2].write {
                            try $0.batches.claim(
                                owner: "w\(worker)", until: seconds(15), now: storeEpoch, limit: 4
                            )
                        }
                        if batches.isEmpty { return mine }
                        mine += batches
                    }
                }
            }
            return try await group.reduce(into: [Batch]()) { $0 += $1 }
        }
        // A worker that meets only batches that another one is taking gets none; the next attempt finds the rest.
        let left = try await store.write {
            try $0.batches.claim(owner: "last", until: seconds(15), now: storeEpoch, limit: 100)
        }
        #expect(claimed.count + left.count == 60 && Set(claimed + left).count == 60)
    }

    @Test("REG-20, STO-2: each waiting registration is claimed by one processor; those of a dead one come again")
    func registrations() async throws {
        let store = try TestStore(.postgres)
        let other = try store.another()
        defer { try? other.close() }
        try await store.write { connection in
            let device = try connection.makeDevices(1, app: try connection.makeApp())[0]
            for number in 1...10 {
                try connection.registrations.insert(
                    device: device, snapshot: snapshot("r\(number)", revision: Int64(number)), requestOrder: 1,
                    now: storeEpoch
                )
            }
        }
        let theirs = Handover<[String]>()
        await #expect(throws: Died.self) {
            try await store.write { connection in
                let mine = try connection.registrations.claimWaiting(limit: 6).map(\.registrationID)
                #expect(mine == (1...6).map { "r\($0)" })
                // Meanwhile the other one claims, and ends what it gets.
                other.database.write { connection in
                    let rows = try connection.registrations.claimWaiting(limit: 100)
                    for row in rows {
                        try connection.registrations.finish(row.key, status: .processed, rejected: [], now: storeEpoch)
                    }
                    return rows.map(\.registrationID)
                } completion: {
                    theirs.give((try? $0.get()) ?? [])
                }
                #expect(theirs.wait() == (7...10).map { "r\($0)" })
                throw Died()
            }
        }
        let left = try await other.database.write {
            try $0.registrations.claimWaiting(limit: 100).map(\.registrationID)
        }
        #expect(left == (1...6).map { "r\($0)" })
    }

    @Test("CON-13, SEC-9, STO-2: two processes that look at the same moment take rehearsals of two apps")
    func rehearsals() async throws {
        let store = try TestStore(.postgres)
        let other = try store.another()
        defer { try? other.close() }
        let campaign = try #require(CampaignID(1 as Int64))
        try await store.write { connection in
            for app: Int64 in [1, 1, 2] {
                _ = try connection.rehearsals.insert(campaign: campaign, app: app, version: "draft", now: storeEpoch)
            }
        }
        let theirs = Handover<[Int64]>()
        let hasMet = Mutex(false)
        let mine = try await store.write { connection -> [Int64] in
            let row = try connection.rehearsals.claim(owner: "mine", until: seconds(15), now: storeEpoch)
            let apps = [row?.app].compactMap(\.self)
            // The first time only: what it has read is not true any more, so it looks again.
            let isAgain = hasMet.withLock { hasMet in
                defer { hasMet = true }
                return hasMet
            }
            if isAgain { return apps }
            // Meanwhile the other one looks, which sees nothing under way.
            other.database.write { connection in
                let row = try connection.rehearsals.claim(owner: "theirs", until: seconds(15), now: storeEpoch)
                return [row?.app].compactMap(\.self)
            } completion: {
                theirs.give((try? $0.get()) ?? [])
            }
            _ = theirs.wait()
            return apps
        }
        let apps = mine + (theirs.wait() ?? [])
        #expect(apps.sorted() == [1, 2])
    }

    @Test("STO-1, STO-2: processes that start together create one schema", .timeLimit(.minutes(10)))
    func startTogether() async throws {
        let schema = "belfry-together-\(UUID().uuidString)"
        try TestPostgres.makeSchema(schema)
        defer { TestPostgres.dropSchema(schema) }
        let versions = try await withThrowingTaskGroup(of: [Int].self) { group in
            for _ in 0..<5 {
                group.addTask {
                    let database = try TestPostgres.open(schema: schema, writers: 1)
                    defer { database.close() }
                    return try await database.read {
                        try $0.query("SELECT version FROM schema_version ORDER BY version", []) { Int($0.integer(0)) }
                    }
                }
            }
            return try await group.reduce(into: [[Int]]()) { $0.append($1) }
        }
        #expect(versions == Array(repeating: Migration.all.map(\.version), count: 5))
    }
}
