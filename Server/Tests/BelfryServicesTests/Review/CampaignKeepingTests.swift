import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Testing

@testable import BelfryServices

@Suite("What is kept of a campaign's review")
struct CampaignKeepingTests {
    @Test(
        "CON-5, CON-12: the rehearsal that an approval refers to is kept, however many come after it",
        arguments: Engine.ofEachRun
    )
    func approved(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        try await world.makeFleet(1)
        let id = try await world.campaigns.drafts.create(ServiceWorld.draft(), by: ServiceWorld.anna, app: world.app).id
        let approved = try await world.rehearse(id)
        try await world.reviews.decide(
            .approved, version: 1, rehearsal: approved.id, reason: nil, on: id, by: ServiceWorld.bert, app: world.app
        )
        var later: [Int64] = []
        for _ in 0...RehearsalService.keptPerCampaign { later.append(try await world.rehearse(id).id) }
        let kept = try await world.rehearsals.list(of: id, app: world.app).map(\.id)
        #expect(kept == later.suffix(RehearsalService.keptPerCampaign).reversed() + [approved.id])
        #expect(try await world.rehearsals.people(in: approved, limit: 9).people.count == 1)
        // A draft takes all of them along.
        try await world.campaigns.life.delete(id, app: world.app)
        let left = try await world.database.read { connection in
            try connection.query("SELECT count(*) FROM rehearsals", []) { $0.integer(0) }
        }
        #expect(left == [0])
    }

    @Test("CON-12, SEC-2: of approvals only the newest keep their rehearsals")
    func bounded() async throws {
        let world = try await ServiceWorld()
        let id = try await world.campaigns.drafts.create(ServiceWorld.draft(), by: ServiceWorld.anna, app: world.app).id
        for _ in 0..<RehearsalRepository.decisionsKept + 10 { try await world.approve(id, by: ServiceWorld.bert) }
        _ = try await world.rehearse(id)
        let kept = try await world.rehearsals.list(of: id, app: world.app)
        #expect(kept.count == RehearsalRepository.decisionsKept + RehearsalService.keptPerCampaign)
    }

    @Test("CON-5: comments go with a campaign, a launched one, too, and none is made on one that was deleted")
    func comments() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        let id = try await world.campaigns.drafts.create(ServiceWorld.draft(), by: ServiceWorld.anna, app: world.app).id
        _ = try await world.reviews.comment("Ask Bert first.", on: id, by: ServiceWorld.anna, app: world.app)
        _ = try await world.campaigns.life.launch(id, app: world.app)
        try await world.sendToTheEnd()
        #expect(try await world.reviews.comments(on: id, app: world.app, before: nil, limit: 9).count == 1)
        try await world.campaigns.life.delete(id, app: world.app)
        let rows = try await world.database.read { connection in
            try connection.query("SELECT count(*) FROM campaign_comments", []) { $0.integer(0) }
        }
        #expect(rows == [0])
        let code = await errorCode {
            try await world.reviews.comment("Too late.", on: id, by: ServiceWorld.anna, app: world.app)
        }
        #expect(code == "conflict")
        // What was sent, and who decided about it, stays with the ledger.
        #expect(try await world.versions.list(of: id, app: world.app, before: nil, limit: 9).count == 1)
    }
    @Test("ADM-4, CON-12: an erased person's names go from comments and reasons, and everything else stays")
    func named() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, key: "anna.k@example.com")
        _ = try await ServiceDevice.registered(world, 2, key: "bert@example.com")
        let id = try await world.campaigns.drafts.create(ServiceWorld.draft(), by: ServiceWorld.anna, app: world.app).id
        for text in [
            "Ask Anna.K@Example.com, and bert@example.com.", "xanna.k@example.comx", "It fails on \(device.client)!",
        ] {
            _ = try await world.reviews.comment(text, on: id, by: ServiceWorld.anna, app: world.app)
        }
        try await world.reviews.decide(
            .rejected, version: 1, rehearsal: nil, reason: "(anna.k@example.com) asked not to get it", on: id,
            by: ServiceWorld.bert, app: world.app
        )
        _ = try await world.contacts.erase("anna.k@example.com", app: world.app)
        let comments = try await world.reviews.comments(on: id, app: world.app, before: nil, limit: 9)
        #expect(
            comments.map(\.text).reversed() == [
                "Ask [erased], and bert@example.com.", "xanna.k@example.comx", "It fails on [erased]!",
            ]
        )
        let reasons = try await world.reviews.approval(of: id, app: world.app).decisions.map(\.reason)
        #expect(reasons == ["([erased]) asked not to get it"])
    }
}

@Suite("Names in what people wrote")
struct NameRedactionTests {
    private func redacted(_ text: String, keys: Set<String>) -> String? {
        NameRedaction(PersonNames(keys: keys, devices: [], partyNumbers: [])).redacted(text)
    }

    @Test("ADM-4: names are found as whole words, the longest first, whatever stands beside them")
    func words() {
        #expect(redacted("anna", keys: ["anna"]) == "[erased]")
        #expect(redacted("ANNA, anna-2, Anna!", keys: ["anna", "anna-2"]) == "[erased], [erased], [erased]!")
        #expect(redacted("annabel Hanna ännanna annaé", keys: ["anna"]) == nil)
        #expect(redacted("anna\u{301}", keys: ["anna"]) == nil, "another letter is another word")
        #expect(redacted("12 of anna's 1234", keys: ["12", "1234"]) == "12 of anna's [erased]", "12 is a number")
        #expect(redacted("Größe: größe", keys: ["größe"]) == "[erased]: [erased]")
        #expect(redacted("", keys: ["anna"]) == nil && redacted("anna", keys: []) == nil)
    }

    @Test("ADM-4, SEC-8: the longest that ends a word is found, and many names of all lengths cost a long text little")
    func manyNames() {
        let nested: Set = ["anna", "anna b", "anna bert", "annab"]
        #expect(redacted("anna berta", keys: nested) == "[erased] berta")
        #expect(redacted("anna bert a", keys: nested) == "[erased] a")
        #expect(redacted("anna b", keys: nested) == "[erased]")
        #expect(redacted("ann annaber", keys: nested) == nil)
        // Looked up under each length, each word would be some 30,000 letters.
        let keys = Set((4...255).map { "b" + String(repeating: "c", count: $0 - 1) })
        let words = String(repeating: "a ", count: 50_000)
        #expect(redacted(words, keys: keys) == nil)
        let longest = "b" + String(repeating: "c", count: 254)
        #expect(redacted(words + longest + " c", keys: keys) == words + "[erased] c")
        #expect(redacted(words + longest + "c", keys: keys) == nil)
    }

    @Test("ADM-4: a name is found however its letters are composed, in any case, and between signs of any language")
    func letters() {
        // Composed, and with a mark of its own.
        #expect(redacted("Ask Zo\u{EB} M.", keys: ["zoe\u{308} m."]) == "Ask [erased]")
        #expect(redacted("Ask ZOE\u{308} M.", keys: ["zo\u{EB} m."]) == "Ask [erased]")
        #expect(redacted("GRÖSSE, Größe", keys: ["GRÖßE"]) == "GRÖSSE, [erased]", "ß is no double s")
        #expect(redacted("ЖУК-7 и жук-77", keys: ["жук-7"]) == "[erased] и жук-77")
        #expect(redacted("“anna”—«anna»…", keys: ["anna"]) == "“[erased]”—«[erased]»…")
        #expect(redacted("请问王小明先生", keys: ["王小明"]) == "请问[erased]先生")
        #expect(redacted("хжук-7", keys: ["жук-7"]) == nil)
    }
}
