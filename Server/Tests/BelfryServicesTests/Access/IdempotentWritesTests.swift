import BelfryModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

@Suite("Writes that come again")
struct IdempotentWritesTests {
    private static let request: [[UInt8]] = [Array("POST".utf8), Array("/api/v1/apps".utf8), Array("{}".utf8)]
    private static let answer = IdempotentWrites.Answer(status: 201, body: Array(#"{"apiKey":"bk_secret"}"#.utf8))

    private static func writes(_ world: World, keys: ServerKeys? = nil) -> IdempotentWrites {
        IdempotentWrites(database: world.database, keys: keys ?? world.keys, environment: world.environment)
    }

    private static func owner(_ name: String = "root") -> AdminPrincipal {
        AdminPrincipal(name: name, app: nil, scopes: [.admin])
    }

    /// The ticket of a first write; a test ends where there is none.
    private static func ticket(
        _ writes: IdempotentWrites, _ key: String = "k", _ principal: AdminPrincipal = owner()
    ) async throws -> IdempotentWrites.Ticket {
        let beginning = try await writes.begin(key, of: principal, request: request)
        guard case .first(let ticket) = beginning else {
            Issue.record("it is no first one: \(beginning)")
            throw CancellationError()
        }
        return ticket
    }

    @Test("ADM-3: the first answer is repeated for 24 hours, and then the write is done anew")
    func repeats() async throws {
        let world = try await World()
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

    @Test("ADM-3: a key belongs to one principal, and keys do not touch each other")
    func separate() async throws {
        let world = try await World()
        let writes = Self.writes(world)
        _ = try await Self.ticket(writes)
        _ = try await Self.ticket(writes, "K")
        _ = try await Self.ticket(writes, "k", Self.owner("key-1"))
        let code = await refusalCode {
            try await Self.writes(world).begin("k", of: Self.owner(), request: Self.request)
        }
        #expect(code == "idempotencyKeyInUse")
    }

    @Test("ADM-3: the same key with another method, address or body is refused, whether the first is done or not")
    func reused() async throws {
        let world = try await World()
        let writes = Self.writes(world)
        let ticket = try await Self.ticket(writes)
        let others: [[[UInt8]]] = [
            [Array("PUT".utf8), Self.request[1], Self.request[2]],
            [Self.request[0], Array("/api/v1/apps?".utf8), Self.request[2]],
            [Self.request[0], Self.request[1], Array("{ }".utf8)],
            // What is joined alike is not alike.
            [Array("POS".utf8), Array("T/api/v1/apps".utf8), Self.request[2]], [],
        ]
        for isDone in [false, true] {
            if isDone { try await writes.keep(Self.answer, for: ticket) }
            for other in others {
                let code = await refusalCode { try await writes.begin("k", of: Self.owner(), request: other) }
                #expect(code == "idempotencyKeyReused")
            }
        }
    }

    @Test("ADM-3: a write under way holds its key; one that died holds it for a day, and is too late then")
    func abandoned() async throws {
        let world = try await World()
        let writes = Self.writes(world)
        let dead = try await Self.ticket(writes)
        let moments = [
            (59.0, "idempotencyKeyInUse"), (1, "idempotencyKeyUnanswered"), (86_339, "idempotencyKeyUnanswered"),
        ]
        for (seconds, expected) in moments {
            world.clock.advance(by: seconds)
            let code = await refusalCode { try await writes.begin("k", of: Self.owner(), request: Self.request) }
            #expect(code == expected)
        }
        world.clock.advance(by: 1)
        let second = try await Self.ticket(writes)
        try await writes.keep(.init(status: 200, body: []), for: dead)
        try await writes.giveUp(dead)
        try await writes.keep(Self.answer, for: second)
        let again = try await writes.begin("k", of: Self.owner(), request: Self.request)
        #expect(again == .repeated(Self.answer))
    }

    @Test("ADM-3: a fault of the server tells nobody whether the write was done, and it is not done again")
    func fault() async throws {
        let world = try await World()
        let writes = Self.writes(world)
        try await writes.keep(.init(status: 500, body: Array("{}".utf8)), for: try await Self.ticket(writes))
        for seconds in [0.0, 86_399] {
            world.clock.advance(by: seconds)
            let code = await refusalCode { try await writes.begin("k", of: Self.owner(), request: Self.request) }
            #expect(code == "idempotencyKeyUnanswered")
        }
        world.clock.advance(by: 1)
        _ = try await Self.ticket(writes)
    }

    @Test("ADM-3: what is given up may be tried again at once; what was answered cannot be given up")
    func givenUp() async throws {
        let world = try await World()
        let writes = Self.writes(world)
        try await writes.giveUp(try await Self.ticket(writes))
        let ticket = try await Self.ticket(writes)
        try await writes.keep(Self.answer, for: ticket)
        try await writes.giveUp(ticket)
        let again = try await writes.begin("k", of: Self.owner(), request: Self.request)
        #expect(again == .repeated(Self.answer))
    }

    @Test("ADM-3: of many that come at once, one goes first")
    func concurrent() async throws {
        let world = try await World()
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

    @Test("ADM-3, SEC-1: what is stored of an answer shows nothing of it, and opens for its own key only")
    func sealed() async throws {
        let world = try await World()
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
        let code = await refusalCode { try await writes.begin("other", of: Self.owner(), request: Self.request) }
        #expect(code == "conflict")
    }

    @Test("ADM-3: with another secret the answer cannot be read, and the write is not done a second time")
    func changedSecret() async throws {
        let world = try await World()
        try await Self.writes(world).keep(Self.answer, for: try await Self.ticket(Self.writes(world)))
        let others = Self.writes(world, keys: TestKeys.server("another secret of a server, long enough"))
        let code = await refusalCode { try await others.begin("k", of: Self.owner(), request: Self.request) }
        #expect(code == "conflict")
    }

    @Test("ADM-3: a clock that was wrong by years holds no key for ever", arguments: [-1e8, 1e8])
    func wrongClock(seconds: TimeInterval) async throws {
        let world = try await World()
        let row = world.clock.now.addingTimeInterval(seconds)
        try await world.database.write {
            try $0.idempotency.reserve(principal: "root", key: "k", requestHash: [1], now: row)
        }
        _ = try await Self.ticket(Self.writes(world))
    }
}
