import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Testing

@testable import BelfryServices

struct ErasedNamesTests {
    @Test(
        "ADM-4, SEC-2: former keys are looked for page by page; a name goes whole though its part is on another page",
        arguments: Engine.ofEachRun)
    func manyKeys(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        let device = try await ServiceDevice.registered(world, 1, key: "anna")
        _ = try await ServiceDevice.registered(world, 2, key: "bert")
        let (app, anna) = (world.app.id, try #require(try await device.row.contact))
        let others = (1...ContactService.keysAtOnce).map { "other-\($0)" }
        let keys = ["anna-k"] + others + ["anna-k-42", "k-42"]
        try await world.database.write { connection in
            _ = try connection.executeEach(
                """
                INSERT INTO contacts (app_id, contact_key, known, attributes, created_at, updated_at, merged_into)
                VALUES (?, ?, 1, '{}', 0, 0, ?)
                """,
                keys.map { [.integer(app), .text($0), .integer(anna)] }
            )
            try connection.fillDirectories()
        }
        let draft = ServiceWorld.draft(audience: .contactKeys(["anna-k", "bert", "anna-k-42"]))
        let id = try await world.campaigns.drafts.create(draft, by: ServiceWorld.anna, app: world.app).id
        _ = try await world.reviews.comment(
            "Ask anna-k-42, anna-k and bert, not k-42 or other-77.", on: id, by: ServiceWorld.anna, app: world.app
        )
        var pages: [Int] = []
        var names: Set<String> = []
        try await world.contacts.forEachPageOfNames(of: anna) { page in
            pages.append(page.keys.count)
            names.formUnion(page.keys)
        }
        // The present key is on the first page, beside the former ones.
        #expect(pages.count == 2 && pages.allSatisfy { count in count <= ContactService.keysAtOnce + 1 })
        #expect(names.isSuperset(of: keys + ["anna"]))
        _ = try await world.contacts.erase("anna", app: world.app)
        let comments = try await world.reviews.comments(on: id, app: world.app, before: nil, limit: 9).map(\.text)
        #expect(comments == ["Ask [erased], [erased] and bert, not [erased] or [erased]."])
        let audience = try await world.database.read { try $0.campaigns.find(id)?.campaign.draft.audience }
        #expect(audience == .contactKeys(["bert"]))
    }
}
