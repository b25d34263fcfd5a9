import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// A campaign is checked and compiled before the transaction that writes it, which all apps may share (SEC-8).
struct CheckedBeforeWriteTests {
    private static let audience = Condition.attribute("birthday", .equal("today"))

    private static func world() async throws -> ServiceWorld {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("birthday", type: .string, app: world.app)
        return world
    }

    /// Past the check of a change, as one that commits in between.
    private static func define(_ key: String, _ type: AttributeType, in world: ServiceWorld) async throws {
        let app = world.app.id
        try await world.database.write { connection in
            try connection.attributes.define(AttributeKey(key), type: type, app: app, now: ServiceWorld.epoch)
        }
    }

    @Test("SEC-8: the errors of a new campaign are reported without a write transaction")
    func rejection() async throws {
        let world = try await Self.world()
        let database = CountingDatabase(world.database)
        let draft = ServiceWorld.draft(push: PushContent(title: "{{", body: "There"))
        let code = await errorCode { try await world.campaigns(over: database).drafts.create(draft, app: world.app) }
        #expect(code == "invalidTemplate")
        #expect(database.written.isEmpty)
    }

    enum Write: CaseIterable {
        case create
        case update
        case launch
        case publish
    }

    /// - Returns: what was tried.
    private static func campaign(for write: Write, in world: ServiceWorld) async throws -> CampaignID? {
        let draft =
            write == .publish
            ? ServiceWorld.news("Sale", audience: .everyone) : ServiceWorld.draft(audience: audience)
        guard write != .create else { return nil }
        let id = try await world.campaigns.drafts.create(draft, app: world.app).id
        if write == .publish { _ = try await world.campaigns.life.launch(id, app: world.app) }
        return id
    }

    private static func run(
        _ write: Write, _ id: CampaignID?, in world: ServiceWorld, over database: any SQLDatabase
    ) async throws {
        let campaigns = world.campaigns(over: database)
        let draft =
            write == .publish
            ? ServiceWorld.news("Sale", audience: audience) : ServiceWorld.draft(audience: audience, name: "Other")
        switch (write, id) {
        case (.update, let id?), (.publish, let id?):
            _ = try await campaigns.drafts.update(id, with: draft, app: world.app)
        case (.launch, let id?): _ = try await campaigns.life.launch(id, app: world.app)
        default: _ = try await campaigns.drafts.create(draft, app: world.app)
        }
    }

    @Test("SEC-8, CAMP-3: a change between the check and the write is checked again", arguments: Write.allCases)
    func changed(_ write: Write) async throws {
        let world = try await Self.world()
        let id = try await Self.campaign(for: write, in: world)
        let before = try await world.campaigns.queries.list(app: world.app, before: nil, limit: 9)
        let database = InterruptedDatabase(world.database, after: "CampaignCheckInput") {
            try await Self.define("birthday", .date, in: world)
        }
        let code = await errorCode { try await Self.run(write, id, in: world, over: database) }
        #expect(code == "invalidValue")
        #expect(try await world.campaigns.queries.list(app: world.app, before: nil, limit: 9) == before)
    }

    @Test("SEC-8, CAMP-3: a change that does not affect the campaign prevents no write", arguments: Write.allCases)
    func compatible(_ write: Write) async throws {
        let world = try await Self.world()
        let id = try await Self.campaign(for: write, in: world)
        let database = InterruptedDatabase(world.database, after: "CampaignCheckInput") {
            try await Self.define("city", .string, in: world)
        }
        try await Self.run(write, id, in: world, over: database)
        #expect(try await world.campaigns.queries.list(app: world.app, before: nil, limit: 9).count == 1)
    }

    @Test("SEC-8: changes during each check end in a conflict, and nothing is written", arguments: Write.allCases)
    func restless(_ write: Write) async throws {
        let world = try await Self.world()
        let id = try await Self.campaign(for: write, in: world)
        let before = try await world.campaigns.queries.list(app: world.app, before: nil, limit: 9)
        let changes = Countdown(100)
        let database = InterruptedDatabase(world.database, after: "CampaignCheckInput", isRepeated: true) {
            #expect(changes.next())
            try await Self.define("city\(changes.rest)", .string, in: world)
        }
        #expect(await errorCode { try await Self.run(write, id, in: world, over: database) } == "conflict")
        #expect(try await world.campaigns.queries.list(app: world.app, before: nil, limit: 9) == before)
    }

    @Test("SEC-8, CAMP-3: a campaign that is launched during the check of a type is checked, too")
    func launchedMeanwhile() async throws {
        let world = try await Self.world()
        let later = CampaignSchedule(at: ServiceWorld.epoch.addingTimeInterval(3_600))
        let database = InterruptedDatabase(world.database, after: "AttributeType") {
            _ = try await world.launch(audience: Self.audience, schedule: later)
        }
        let apps = world.apps(over: database)
        let code = await errorCode { try await apps.defineAttribute("birthday", type: .date, app: world.app) }
        #expect(code == "conflict")
        #expect(try await world.apps.attributes(of: world.app) == ["birthday": .string])
    }
}
