import BelfryModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

@Suite("Repeated writes")
struct IdempotentWritesTests {
    private static let request: [[UInt8]] = [Array("POST".utf8), Array("/api/v1/apps".utf8), Array("{}".utf8)]
    private static let answer = IdempotencyStore.StoredResponse(
        status: 201, body: Array(#"{"apiKey":"bk_secret"}"#.utf8))

    private static func writes(
        _ world: ServiceWorld, keys: ServerKeys? = nil, disk: StorageWatch.Disk? = nil
    ) -> IdempotencyStore {
        IdempotencyStore(
            database: world.database, keys: keys ?? world.keys, limits: limits(world), storage: storage(world, disk),
            environment: world.environment
        )
    }

    private static func limits(_ world: ServiceWorld) -> RequestLimits {
        RequestLimits(rates: .standard, proxies: .none, now: world.environment.now, metrics: world.metrics)
    }

    private static func storage(_ world: ServiceWorld, _ disk: StorageWatch.Disk? = nil) -> StorageWatch {
        StorageWatch(
            database: world.database, disk: disk, floor: .bytes(100), environment: world.environment,
            metrics: world.metrics, logger: world.logger
        )
    }

    private static func owner(_ name: String = "root") -> AdminPrincipal {
        AdminPrincipal(name: name, app: nil, scopes: [.admin])
    }

    /// The ticket of a first write; a test ends where there is none.
    private static func ticket(
        _ writes: IdempotencyStore, _ key: String = "k", _ principal: AdminPrincipal = owner()
    ) async throws -> IdempotencyStore.Reservation {
        let beginning = try await writes.begin(key, of: principal, request: request)
        guard case .first(let ticket) = beginning else {
            Issue.record("it is no first one: \(beginning)")
            throw CancellationError()
        }
        return ticket
    }

    @Test("ADM-3: the first response is repeated for 24 hours, and then the write is done again")
    func repeats() async throws {
        let world = try await ServiceWorld()
        let writes = Self.writes(world)
        try await writes.keep(Self.answer, for: try await Self.ticket(writes))
        for seconds in [0.0, 43_200, 42_840] {
            world.clock.advance(by: seconds)
            let again = try await writes.begin("k", of: Self.owner(), request: Self.request)
            #expect(again == .repeated(Self.answer))
        }
        world.clock.advance(by: 360)
        _ = try await Self.ticket(writes)
    }

    @Test("ADM-3: a key belongs to one principal, and keys are independent")
    func separate() async throws {
        let world = try await ServiceWorld()
        let writes = Self.writes(world)
        _ = try await Self.ticket(writes)
        _ = try await Self.ticket(writes, "K")
        _ = try await Self.ticket(writes, "k", Self.owner("key-1"))
        let code = await errorCode {
            try await Self.writes(world).begin("k", of: Self.owner(), request: Self.request)
        }
        #expect(code == "idempotencyKeyInUse")
    }

    @Test("ADM-3: the same key with another method, address or body is refused, whether the first is done or not")
    func reused() async throws {
        let world = try await ServiceWorld()
        let writes = Self.writes(world)
        let ticket = try await Self.ticket(writes)
        let others: [[[UInt8]]] = [
            [Array("PUT".utf8), Self.request[1], Self.request[2]],
            [Self.request[0], Array("/api/v1/apps?".utf8), Self.request[2]],
            [Self.request[0], Self.request[1], Array("{ }".utf8)],
            // Different parts may have equal concatenations.
            [Array("POS".utf8), Array("T/api/v1/apps".utf8), Self.request[2]], [],
        ]
        for isDone in [false, true] {
            if isDone { try await writes.keep(Self.answer, for: ticket) }
            for other in others {
                let code = await errorCode { try await writes.begin("k", of: Self.owner(), request: other) }
                #expect(code == "idempotencyKeyReused")
            }
        }
    }

    @Test("ADM-3: a write in progress holds its key; one that died holds it for a day, and is too late then")
    func abandoned() async throws {
        let world = try await ServiceWorld()
        let writes = Self.writes(world)
        let dead = try await Self.ticket(writes)
        let moments = [
            (59.0, "idempotencyKeyInUse"), (1, "idempotencyKeyUnanswered"), (86_339, "idempotencyKeyUnanswered"),
        ]
        for (seconds, expected) in moments {
            world.clock.advance(by: seconds)
            let code = await errorCode { try await writes.begin("k", of: Self.owner(), request: Self.request) }
            #expect(code == expected)
        }
        world.clock.advance(by: 1)
        let second = try await Self.ticket(writes)
        try await writes.keep(.init(status: 200, body: []), for: dead)
        try await writes.release(dead)
        try await writes.keep(Self.answer, for: second)
        let again = try await writes.begin("k", of: Self.owner(), request: Self.request)
        #expect(again == .repeated(Self.answer))
    }

    @Test("ADM-3: after an error of the server the result is unknown, and the write is not done again")
    func fault() async throws {
        let world = try await ServiceWorld()
        let writes = Self.writes(world)
        try await writes.keep(
            .init(status: 500, body: Array("{}".utf8)), for: try await Self.ticket(writes))
        for seconds in [0.0, 86_399] {
            world.clock.advance(by: seconds)
            let code = await errorCode { try await writes.begin("k", of: Self.owner(), request: Self.request) }
            #expect(code == "idempotencyKeyUnanswered")
        }
        world.clock.advance(by: 1)
        _ = try await Self.ticket(writes)
    }

    @Test("ADM-3: an abandoned write may be repeated at once; a finished one cannot be abandoned")
    func released() async throws {
        let world = try await ServiceWorld()
        let writes = Self.writes(world)
        try await writes.release(try await Self.ticket(writes))
        let ticket = try await Self.ticket(writes)
        try await writes.keep(Self.answer, for: ticket)
        try await writes.release(ticket)
        let again = try await writes.begin("k", of: Self.owner(), request: Self.request)
        #expect(again == .repeated(Self.answer))
    }

    @Test("ADM-3: of many concurrent writes one goes first")
    func concurrent() async throws {
        let world = try await ServiceWorld()
        let writes = Self.writes(world)
        let first = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<30 {
                group.addTask {
                    let beginning = try? await writes.begin("k", of: Self.owner(), request: Self.request)
                    guard case .first? = beginning else { return 0 }
                    return 1
                }
            }
            return await group.reduce(0, +)
        }
        #expect(first == 1)
    }

    @Test("ADM-3, SEC-1: a stored response reveals nothing, and opens only with its own key")
    func sealed() async throws {
        let world = try await ServiceWorld()
        let writes = Self.writes(world)
        try await writes.keep(Self.answer, for: try await Self.ticket(writes))
        let found = try await world.database.read { try $0.idempotency.find(principal: "root", key: "k") }
        let row = try #require(found)
        #expect(row.status == 201)
        #expect(!row.body.contains("bk_secret"))
        #expect(Data(base64Encoded: row.body).map { String(decoding: $0, as: UTF8.self) }?.contains("bk_") != true)
        // Moved to another key, it is somebody else's.
        _ = try await world.database.write {
            try $0.execute("UPDATE idempotent_answers SET idempotency_key = 'other'")
        }
        let code = await errorCode { try await writes.begin("other", of: Self.owner(), request: Self.request) }
        #expect(code == "conflict")
    }

    @Test("ADM-3: with another secret the response cannot be read, and the write is not done a second time")
    func changedSecret() async throws {
        let world = try await ServiceWorld()
        try await Self.writes(world).keep(Self.answer, for: try await Self.ticket(Self.writes(world)))
        let others = Self.writes(world, keys: TestKeys.server("another secret of a server, long enough"))
        let code = await errorCode { try await others.begin("k", of: Self.owner(), request: Self.request) }
        #expect(code == "conflict")
    }

    @Test("ADM-3: a clock that was wrong by years holds no key forever", arguments: [-1e8, 1e8])
    func wrongClock(seconds: TimeInterval) async throws {
        let world = try await ServiceWorld()
        let row = world.clock.now.addingTimeInterval(seconds)
        try await world.database.write {
            try $0.idempotency.reserve(principal: "root", key: "k", requestHash: [1], now: row)
        }
        _ = try await Self.ticket(Self.writes(world))
    }

    @Test("ADM-3, SEC-9: of a response of more than 256 KiB the status is stored, and it is not done again")
    func longAnswer() async throws {
        let world = try await ServiceWorld()
        let writes = Self.writes(world)
        let longest = IdempotencyStore.StoredResponse(status: 200, body: [UInt8](repeating: 0x61, count: 262_144))
        try await writes.keep(longest, for: try await Self.ticket(writes, "fits"))
        #expect(try await writes.begin("fits", of: Self.owner(), request: Self.request) == .repeated(longest))
        let long = IdempotencyStore.StoredResponse(status: 201, body: longest.body + [0x61])
        try await writes.keep(long, for: try await Self.ticket(writes, "long"))
        let code = await errorCode { try await writes.begin("long", of: Self.owner(), request: Self.request) }
        #expect(code == "answerNotKept")
    }

    @Test(
        "ADM-3, SEC-9: a key whose stored responses fill its budget is refused before a write")
    func budget() async throws {
        let world = try await ServiceWorld()
        let writes = Self.writes(world)
        let long = IdempotencyStore.StoredResponse(status: 200, body: [UInt8](repeating: 0x61, count: 262_144))
        var kept = 0
        var rejected: ServiceError?
        while rejected == nil, kept < 1_000 {
            do {
                try await writes.keep(long, for: try await Self.ticket(writes, "k\(kept)"))
                kept += 1
            } catch let error as ServiceError {
                rejected = error
            }
        }
        // 16 MiB a minute, of which each takes 256 KiB in base64, and its place.
        #expect(kept == 16 * 1_048_576 / (1_024 + 349_564))
        guard case .tooManyCalls(let limit, _, let wait)? = rejected else {
            Issue.record("it is not the error of a budget: \(String(describing: rejected))")
            return
        }
        #expect(limit == "keptAnswers" && wait > 0)
        let next = "k\(kept)"
        #expect(try await world.database.read { try $0.idempotency.find(principal: "root", key: next) } == nil)
        let again = try await writes.begin("k0", of: Self.owner(), request: Self.request)
        #expect(again == .repeated(long))
        _ = try await Self.ticket(writes, "k", Self.owner("key-1"))
        world.clock.advance(by: TimeInterval(wait))
        _ = try await Self.ticket(writes, next)
    }

    @Test("ADM-3: short, abandoned or refused responses cost no more than their size")
    func takenBack() async throws {
        let world = try await ServiceWorld()
        let writes = Self.writes(world)
        // Were each of them charged what the longest answer takes, the budget would end at 190.
        for number in 0..<400 {
            let ticket = try await Self.ticket(writes, "k\(number)")
            if number.isMultiple(of: 2) {
                try await writes.release(ticket)
            } else {
                try await writes.keep(Self.answer, for: ticket)
                _ = try await writes.begin("k\(number)", of: Self.owner(), request: Self.request)
                _ = try? await writes.begin("k\(number)", of: Self.owner(), request: [])
            }
        }
    }

    @Test("ADM-3, SEC-9: below the floor of free disk nothing is stored, and stored responses are repeated")
    func belowFloor() async throws {
        let world = try await ServiceWorld()
        try await Self.writes(world).keep(Self.answer, for: try await Self.ticket(Self.writes(world)))
        let disk = StorageWatch.Disk(
            space: { DiskSpace(total: 1_000, available: 10, unsettled: 0) }, settle: {}
        )
        let writes = Self.writes(world, disk: disk)
        await writes.storage.tick()
        #expect(try await writes.begin("k", of: Self.owner(), request: Self.request) == .repeated(Self.answer))
        for _ in 0..<2 {
            #expect(try await writes.begin("other", of: Self.owner(), request: Self.request) == .unkept)
        }
        #expect(try await world.database.read { try $0.idempotency.find(principal: "root", key: "other") } == nil)
    }
}
