import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// What is asked of the campaigns of one app, and of what hangs on them, reads what is that app's: others may have a
/// thousand times as much (ADM-7, SEC-8).
@Suite("The plans of questions about an app's campaigns")
struct AppCampaignPlanTests {
    private struct Question: Sendable {
        let sql: SQLText
        let arguments: [SQLValue]
        let index: String
    }

    private static func questions(_ dialect: any Dialect) -> [Question] {
        let (app, device, limit): (SQLValue, SQLValue, SQLValue) = (.integer(1), .integer(7), .integer(50))
        let (start, end): (SQLValue, SQLValue) = (.integer(0), .integer(1_000_000))
        return [
            // Whether the credentials fit (REG-35).
            Question(
                sql: CampaignRepository.watchesSQL(dialect), arguments: [app, .integer(5), start, limit],
                index: "campaigns_by_launch"
            ),
            // Before each batch of a campaign with a cap (CAMP-5).
            Question(
                sql: CampaignRepository.notifyingSQL(dialect), arguments: [app, start, end],
                index: "campaigns_by_launch"
            ),
            // Every day (LED-3).
            Question(
                sql: LedgerRetentionRepository.lapsedSQL(dialect),
                arguments: [app, end, start, start, end, end, limit], index: "campaigns_with_ledger"
            ),
            Question(sql: CampaignRepository.topicErrorsSQL, arguments: [app], index: "campaigns_by_trouble"),
            // At each erasure (SEC-8).
            Question(
                sql: CampaignRepository.namingPeopleSQL(dialect), arguments: [app, start, app, limit],
                index: "campaigns_by_app"
            ),
            Question(
                sql: RehearsalRepository.pagesAroundSQL(dialect), arguments: [device, device, app, start, limit],
                index: "rehearsals_by_app"
            ),
            Question(
                sql: PlacingCampaignRepository.listSQL(dialect), arguments: [app, end, limit],
                index: "campaigns_by_app_listed"
            ),
            Question(
                sql: DeviceDeliveryRepository.listSQL(dialect), arguments: [device, app, end, limit],
                index: "campaigns_by_app"
            ),
            Question(
                sql: UserRepository.rolesSQL(dialect), arguments: [app, start, limit], index: "user_roles_by_app"
            ),
        ]
    }

    @Test("ADM-7, SEC-8: each reads the rows of its app by their index, in its order", arguments: Engine.allCases)
    func plans(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine, isRecycled: false)
        try await store.write { connection in
            try connection.makeUnequalApps()
            try connection.analyze(store.engine)
        }
        let plans = try await store.read { connection in
            try Self.questions(connection.dialect).map { question in
                (question, try connection.plan(of: question.sql, question.arguments, engine))
            }
        }
        for (number, (question, plan)) in plans.enumerated() {
            #expect(ListPlanTests.uses(question.index, plan), "\(number): \(plan)")
            // They have the rows of all apps.
            for index in ["campaigns_pkey", "campaigns_to_sum", "rehearsals_pkey", "user_roles_pkey"] {
                #expect(!ListPlanTests.uses(index, plan), "\(number): \(plan)")
            }
            #expect(!plan.contains("SCAN ") && !plan.contains("Seq Scan"), "\(number): \(plan)")
            #expect(!plan.contains("TEMP B-TREE") && !plan.contains("Sort"), "\(number): \(plan)")
        }
    }

    /// Of one device or person, whose rows lie campaign by campaign among those of all others.
    private static func ledgerQuestions(_ dialect: any Dialect) -> [Question] {
        let (app, device, contact): (SQLValue, SQLValue, SQLValue) = (.integer(1), .integer(7), .integer(7))
        let scope = TimelineScope(app: 1, contact: 7, present: [7], former: [90], sole: [7], holders: [7])
        let timeline = TimelineRepository.ledgerQuestion(
            of: scope, [.decided, .opened], before: TimelinePosition(at: .max), limit: 50, dialect
        )
        let index = "campaigns_by_app"
        return [
            Question(sql: timeline.sql, arguments: timeline.arguments, index: index),
            Question(
                sql: PersonRepository.deliveriesSQL(dialect),
                arguments: [device, app, .integer(1_000_000), contact, .integer(50)], index: index
            ),
            Question(
                sql: DeviceDeliveryRepository.forgetPlacedSQL(dialect), arguments: [device, app, contact], index: index
            ),
            Question(
                sql: DeviceDeliveryRepository.forgetSQL(dialect), arguments: [device, app, contact], index: index
            ),
            // Of a contact that devices have left (REG-24).
            Question(sql: OrphanedContactRepository.orphanSQL(dialect), arguments: [contact], index: index),
        ]
    }

    @Test(
        "ADM-5, SEC-8: what the ledger has of a person is looked up, campaign by campaign of the app",
        arguments: Engine.allCases)
    func ledger(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine, isRecycled: false)
        try await store.write { connection in
            try connection.makeUnequalApps()
            try connection.analyze(store.engine)
        }
        let plans = try await store.write { connection in
            try Self.ledgerQuestions(connection.dialect).map { question in
                (question, try connection.plan(of: question.sql, question.arguments, engine))
            }
        }
        for (number, (question, plan)) in plans.enumerated() {
            #expect(ListPlanTests.uses(question.index, plan), "\(number): \(plan)")
            #expect(!ListPlanTests.uses("campaigns_pkey", plan), "\(number): \(plan)")
            // By both parts of the key.
            let lookups = plan.split(separator: "\n").filter {
                $0.contains("PRIMARY KEY (campaign_id=?") || $0.contains("Index Cond: ((campaign_id = ANY (")
            }
            let areOfDevice = lookups.map { $0.contains("device_id=?") || $0.contains("(device_id = ") }
            #expect(!areOfDevice.isEmpty && !areOfDevice.contains(false), "\(number): \(plan)")
        }
    }

    @Test(
        "CAMP-5, REG-35: campaigns of an app that notify are told in the order of their launches",
        arguments: Engine.allCases)
    func launches(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let (expected, notifying, watches) = try await store.write { connection in
            let moments: [TimeInterval] = [30, 10, 20]
            let own = try moments.map { try connection.makeLaunched(app: 1, at: seconds($0)) }
            _ = try connection.makeLaunched(app: 2, at: seconds(15))
            let campaigns = connection.campaigns
            return (
                own, try campaigns.notifying(app: 1, since: storeEpoch).map(\.id),
                try campaigns.watches(app: 1, launchedSince: seconds(20), except: own[1], limit: 9).map(\.id)
            )
        }
        #expect(notifying == [expected[1], expected[2], expected[0]].map(\.number))
        #expect(watches == [expected[0], expected[2]])
    }
}

extension SQLConnection {
    /// Two hundred campaigns of a large app for each of a small one, with rehearsals, people and a ledger.
    fileprivate func makeUnequalApps() throws {
        for number in 1...400 {
            let app: Int64 = number.isMultiple(of: 200) ? 1 : 2
            let campaign = try makeCampaign(number.isMultiple(of: 3) ? .draft : .completed, app: app)
            _ = try rehearsals.insert(campaign: campaign, app: app, version: "draft", now: storeEpoch)
            try users.setRole("marketer", of: Int64(number), app: app)
        }
        for app: Int64 in 1...2 { try makeDevices(50, app: app) }
        try execute(
            """
            UPDATE campaigns SET kind = CASE WHEN id % 2 = 0 THEN 'push' ELSE 'pushAndMessageCenter' END,
                launched_at = CASE WHEN status = 'completed' THEN id END,
                ended_at = CASE WHEN status = 'completed' THEN id END,
                watch = CASE WHEN status = 'completed' THEN '{}' END,
                trouble_since = CASE WHEN id % 50 = 0 THEN 1 END
            """
        )
        try execute(
            """
            INSERT INTO deliveries (campaign_id, device_id, state, attempts, updated_at)
            SELECT c.id, d.id, 'accepted', 1, 0 FROM campaigns c JOIN devices d ON d.app_id = c.app_id
            """
        )
        try execute(
            """
            INSERT INTO campaign_versions (campaign_id, number, app_id, saved_at, author_key, published,
                resets_displays, names_people, content)
            SELECT id, 1, app_id, 0, 'root', 1, 0, 0, content FROM campaigns
            """
        )
    }

    fileprivate func makeLaunched(app: Int64, at moment: Date) throws -> CampaignID {
        let id = try makeCampaign(.sending, app: app)
        try execute(
            "UPDATE campaigns SET launched_at = ?, watch = '{}' WHERE id = ?", [.date(moment), .integer(id.number)]
        )
        return id
    }
}
