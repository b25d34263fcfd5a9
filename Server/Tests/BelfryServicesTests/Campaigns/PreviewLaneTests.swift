import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Synchronization
import Testing

/// What previews and dry runs do with the lane that questions share: its budget ends statements and nothing else, so
/// nothing else is done there (SEC-8).
struct PreviewLaneTests {
    private static func world() async throws -> ServiceWorld {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("birthday", type: .string, app: world.app)
        return world
    }

    private static let drafts = [
        ServiceWorld.draft(push: PushContent(title: "Hello", body: "{{birthday}}")),
        ServiceWorld.news("Welcome", audience: .everyone),
    ]

    @Test("SEC-8, CAMP-4: a campaign that has become invalid is reported without a query", arguments: drafts)
    func checkedBefore(_ draft: CampaignDraft) async throws {
        let world = try await Self.world()
        var draft = draft
        draft.audience = .attribute("birthday", .equal("today"))
        let id = try await world.campaigns.drafts.create(draft, app: world.app).id
        try await world.apps.defineAttribute("birthday", type: .date, app: world.app)
        let database = LaneDatabase(world.database, isClosed: true)
        let campaigns = world.campaigns(over: database)
        #expect(
            await errorCode { try await campaigns.previews.preview(id, devices: nil, limit: 3, app: world.app) }
                == "invalidValue")
        #expect(await errorCode { try await campaigns.previews.dryRun(id, app: world.app) } == "invalidValue")
        #expect(database.asks == 0)
    }

    @Test("SEC-8, CAMP-7: a dry run reads its campaign once, and queries one page after the other", arguments: drafts)
    func pages(_ draft: CampaignDraft) async throws {
        let world = try await Self.world()
        try await world.makeFleet(1_001)
        let id = try await world.campaigns.drafts.create(draft, app: world.app).id
        let database = LaneDatabase(world.database)
        let run = try await world.campaigns(over: database).previews.dryRun(id, app: world.app)
        #expect(run.audience == 1_001)
        #expect(database.reads == 1 && database.asks == 3)
    }

    @Test("SEC-8, CAMP-4: a preview of named devices evaluates no audience", arguments: drafts)
    func named(_ draft: CampaignDraft) async throws {
        let world = try await Self.world()
        let devices = try await world.makeFleet(2).map(\.rawValue)
        let id = try await world.campaigns.drafts.create(draft, app: world.app).id
        let database = LaneDatabase(world.database, isClosed: true)
        let previews = try await world.campaigns(over: database).previews.preview(
            id, devices: devices, limit: 2, app: world.app
        )
        #expect(previews.map(\.device) == devices)
    }
}

/// A database that counts what it is asked, and what it is only read for.
private final class LaneDatabase: SQLDatabase {
    private let database: any SQLDatabase
    private let isClosed: Bool
    private let counts = Mutex((reads: 0, asks: 0))

    var reads: Int { counts.withLock(\.reads) }
    var asks: Int { counts.withLock(\.asks) }

    /// - Parameter isClosed: whether too many others ask already.
    init(_ database: any SQLDatabase, isClosed: Bool = false) {
        self.database = database
        self.isClosed = isClosed
    }

    func write<Output: Sendable>(
        turn: WritePriority, _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        database.write(turn: turn, body, completion: completion)
    }

    func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        counts.withLock { $0.reads += 1 }
        return try await database.read(body)
    }

    func ask<Output: Sendable>(
        _ question: Question, _ body: @escaping @Sendable (PredicateConnection) throws -> Output
    ) async throws -> Output {
        counts.withLock { $0.asks += 1 }
        guard !isClosed else { throw StoreError.crowded }
        return try await database.ask(question, body)
    }
}
