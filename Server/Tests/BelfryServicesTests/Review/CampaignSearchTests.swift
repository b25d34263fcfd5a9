import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Testing

@Suite("CON-5, ADM-7: the search in the list of campaigns")
struct CampaignSearchTests {
    private static let names = [
        "Autumn sale", "SUMMER SALE", "Welcome", "Été à Paris", "100% sale_now", "Newsletter \u{1F514}",
    ]

    private static func made(_ world: ServiceWorld, names: [String] = names) async throws -> [CampaignID] {
        var ids: [CampaignID] = []
        for name in names {
            ids.append(try await world.campaigns.drafts.create(ServiceWorld.draft(name: name), app: world.app).id)
        }
        return ids
    }

    private static func found(
        _ world: ServiceWorld, _ filter: CampaignFilter, before cursor: Int64? = nil, limit: Int = 50
    ) async throws -> FoundCampaigns {
        try await CampaignSearch(database: world.database).find(filter, app: world.app, before: cursor, limit: limit)
    }

    @Test(
        "CON-5: a part of the name in any case finds it, byte by byte and without wildcards",
        arguments: [
            ("sale", [5, 2, 1]), ("SaLe ", [5, 2, 1]), ("été", [4]), ("ÉTÉ", [4]), ("%", [5]), ("_", [5]),
            ("\u{1F514}", [6]), ("e", [6, 5, 3, 2, 1]), ("x", []), ("  ", [6, 5, 4, 3, 2, 1]), ("'", []),
            // A combining mark makes no other letter of what stands before it.
            ("e\u{301}t", []),
        ] as [(String, [Int])])
    func names(_ text: String, _ numbers: [Int]) async throws {
        let world = try await ServiceWorld()
        let ids = try await Self.made(world)
        let found = try await Self.found(world, CampaignFilter(text: text))
        #expect(found.campaigns.map(\.id) == numbers.map { ids[$0 - 1] } && found.next == nil && !found.isCutShort)
    }

    @Test("CON-5: status and kind are filtered alone and together, page by page")
    func filters() async throws {
        let world = try await ServiceWorld()
        let ids = try await Self.made(world)
        _ = try await world.campaigns.life.cancel(ids[0], app: world.app)
        let kept = CampaignDraft(
            name: "Kept sale", kind: .messageCenter, audience: .everyone,
            messageCenter: MessageCenterContent(subject: "S", message: "M")
        )
        let center = try await world.campaigns.drafts.create(kept, app: world.app).id
        func found(_ filter: CampaignFilter) async throws -> [CampaignID] {
            var (all, cursor): ([CampaignID], Int64?) = ([], nil)
            repeat {
                let page = try await Self.found(world, filter, before: cursor, limit: 2)
                #expect(page.campaigns.count <= 2)
                all += page.campaigns.map(\.id)
                cursor = page.next
            } while cursor != nil
            return all
        }
        let drafts = Array(ids[1...].reversed())
        #expect(try await found(CampaignFilter()) == [center] + drafts + [ids[0]])
        #expect(try await found(CampaignFilter(status: .draft)) == [center] + drafts)
        #expect(try await found(CampaignFilter(status: .cancelled)) == [ids[0]])
        #expect(try await found(CampaignFilter(kind: .messageCenter)) == [center])
        #expect(try await found(CampaignFilter(text: "sale", status: .draft, kind: .push)) == [ids[4], ids[1]])
        #expect(try await found(CampaignFilter(text: "sale", kind: .silent)) == [])
    }

    @Test("ADM-7: a search looks at so many campaigns at most, and goes on behind them")
    func bound() async throws {
        let world = try await ServiceWorld()
        let old = try await Self.made(world, names: ["Needle"])[0]
        let (app, count) = (world.app.id, CampaignSearch.searchedAtOnce)
        try await world.database.write { connection in
            for _ in 0..<count + 10 {
                _ = try connection.campaigns.insert(ServiceWorld.draft(name: "Hay"), app: app, now: ServiceWorld.epoch)
            }
        }
        let filter = CampaignFilter(text: "needle")
        let first = try await Self.found(world, filter)
        #expect(first.campaigns.isEmpty && first.isCutShort)
        let second = try await Self.found(world, filter, before: first.next)
        #expect(second.campaigns.map(\.id) == [old] && second.next == nil && !second.isCutShort)
    }

    @Test("SEC-2: what is searched for is cut at its limit")
    func longText() {
        let long = String(repeating: "é", count: 500)
        #expect(CampaignFilter(text: long).text.unicodeScalars.count == CampaignFilter.maximumTextLength)
        #expect(CampaignFilter(text: " ").isEmpty && !CampaignFilter(status: .draft).isEmpty)
    }
}
