import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

@Suite("CON-7: the people behind a campaign's figures")
struct RecipientQueriesTests {
    @Test("CON-7, ADM-7: pages have everybody once, in order, and filters are those of the figures")
    func pages() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(25)
        let app = world.app.id
        try await world.database.write { connection in
            try connection.execute("UPDATE devices SET push_token = NULL, push_provider = NULL WHERE id > 20", [])
            try connection.audiences.rebuild(app: app)
        }
        let id = try await world.launch()
        try await world.sendToTheEnd()
        try await world.engage(.opened, [3, 4], of: id)
        let clients = try (1...25).map { try ServiceWorld.client($0).rawValue }
        #expect(try await world.list(id) == clients)
        let lost = RecipientQueries.Filter(state: .suppressed, reason: .noToken)
        #expect(try await world.list(id, lost, limit: 2).count == 5)
        #expect(try await world.list(id, RecipientQueries.Filter(state: .accepted)).count == 20)
        #expect(try await world.list(id, RecipientQueries.Filter(engagement: .opened)).count == 2)
        #expect(try await world.list(id, RecipientQueries.Filter(state: .rejected)).isEmpty)
        let counts = try await world.counts(id)
        #expect(counts.suppressed == 5 && counts.opened == 2)
    }

    @Test("ADM-7: what is rare is looked for in a bounded part of the ledger, and a page says where to go on")
    func rare() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        let id = try await world.launch()
        try await world.sendToTheEnd()
        let now = world.clock.now
        let rows = Int64(RecipientQueries.maximumRows) + 5_000
        _ = try await world.database.write { connection in
            try connection.executeEach(
                """
                INSERT INTO deliveries (campaign_id, device_id, state, reason, attempts, updated_at)
                VALUES (?, ?, ?, ?, 1, ?)
                """,
                (2...rows).map { device in
                    let isLast = device == rows
                    return [
                        .integer(id.number), .integer(device), .text(isLast ? "rejected" : "accepted"),
                        .optional(isLast ? "noAnswer" : nil), .date(now),
                    ]
                }
            )
        }
        let filter = RecipientQueries.Filter(state: .rejected)
        let first = try await world.recipients.list(id, filter, app: world.app, after: nil, limit: 10)
        #expect(first.recipients.isEmpty)
        let next = try #require(first.next)
        let second = try await world.recipients.list(id, filter, app: world.app, after: next, limit: 10)
        #expect(second.recipients.count == 1 && second.next == nil)
        #expect(second.recipients.first?.device == nil, "The device is not there any more.")
    }

    @Test("CON-7: a campaign of another app has no people")
    func foreign() async throws {
        let world = try await ServiceWorld()
        let id = try await world.launch()
        let other = try await world.apps.create(code: "other", name: "Other").app
        await #expect(throws: ServiceError.self) {
            _ = try await world.recipients.list(id, RecipientQueries.Filter(), app: other, after: nil, limit: 10)
        }
    }
}

@Suite("CON-2: one search over an app")
struct SearchServiceTests {
    @Test("CON-2: campaigns are found by a part of their name, contacts by their beginning, devices by id and token")
    func finds() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, key: "anna@example.com", token: "00aabbccddeeff")
        let id = try await world.campaigns.drafts.create(ServiceWorld.draft(name: "Der große Sommer"), app: world.app)
            .id
        _ = try await world.campaigns.drafts.create(ServiceWorld.draft(name: "Winter"), app: world.app)
        let search = SearchService(database: world.database)
        func find(_ text: String) async throws -> SearchResults {
            try await search.find(text, app: world.app, limit: 5)
        }
        #expect(try await find("SOMMER").campaigns.map(\.id) == [id])
        #expect(try await find("große").campaigns.map(\.id) == [id])
        #expect(try await find(" \(id) ").campaigns.map(\.id).contains(id))
        #expect(try await find("anna@").contacts.map(\.key) == ["anna@example.com"])
        #expect(try await find("nna@").contacts.isEmpty)
        _ = try await world.contacts.rename("anna@example.com", to: "a.b@example.com", field: "to", app: world.app)
        #expect(try await find("anna@example.com").contacts.map(\.key) == ["a.b@example.com"])
        _ = try await world.contacts.rename("a.b@example.com", to: "anna@example.com", field: "to", app: world.app)
        #expect(try await find("anna@example.com").contacts.map(\.key) == ["anna@example.com"])
        #expect(try await find(device.client.rawValue).devices.count == 1)
        #expect(try await find("00aabbccddeeff").devices.map(\.contactKey) == ["anna@example.com"])
        for text in ["", "   ", "nothing at all", "%", "_", "a\u{0}b", String(repeating: "x", count: 10_000)] {
            #expect(try await find(text).isEmpty, "\(text.prefix(20))")
        }
        let other = try await world.apps.create(code: "other", name: "Other").app
        #expect(try await search.find("anna@", app: other, limit: 5).isEmpty)
    }
}

extension ServiceWorld {
    var recipients: RecipientQueries { RecipientQueries(database: database) }

    /// The devices of all pages.
    fileprivate func list(
        _ id: CampaignID, _ filter: RecipientQueries.Filter = RecipientQueries.Filter(), limit: Int = 7
    ) async throws -> [String] {
        var (found, cursor) = ([String](), Int64?.none)
        repeat {
            let page = try await recipients.list(id, filter, app: app, after: cursor, limit: limit)
            found += page.recipients.map { $0.device ?? "gone" }
            cursor = page.next
        } while cursor != nil
        return found
    }
}
