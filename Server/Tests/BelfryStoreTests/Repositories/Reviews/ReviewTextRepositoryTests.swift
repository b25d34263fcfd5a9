import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

@Suite("What people wrote about campaigns")
struct ReviewTextRepositoryTests {
    @Test(
        "ADM-4: the texts of an app come page by page, each once, and nothing of other apps", arguments: Engine.allCases
    )
    func pages(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            let ids = try (0..<6).map { try connection.makeCampaign(app: $0.isMultiple(of: 2) ? 1 : 2) }
            // Written in turn, so that neither the order of texts nor that of campaigns is the other.
            for round in 0..<3 {
                for id in ids.reversed() {
                    _ = try connection.campaignComments.insert(
                        "\(id.number).\(round)", on: id, by: .key("root"), now: storeEpoch)
                }
            }
            let expected = ids.indices.filter { $0.isMultiple(of: 2) }.flatMap { place in
                (0..<3).map { "\(ids[place].number).\($0)" }
            }
            for limit in 1...10 {
                var found: [String] = []
                var position: ReviewTextRepository.Position?
                while true {
                    let page = try connection.reviewTexts.list(.comment, app: 1, after: position, limit: limit)
                    found += page.map(\.text)
                    guard page.count == limit, let last = page.last else { break }
                    position = last.position
                }
                #expect(found == expected, "\(limit) at once")
            }
            #expect(try connection.reviewTexts.list(.reason, app: 1, after: nil, limit: 9).isEmpty)
        }
    }

    @Test(
        "ADM-7: texts are read campaign by campaign, by their index", arguments: Engine.allCases,
        ReviewTextKind.allCases)
    func plan(_ engine: Engine, _ kind: ReviewTextKind) async throws {
        let store = try await TestStore.withApps(engine, isRecycled: false)
        try await store.write { connection in
            for number in 1...300 {
                let id = try connection.makeCampaign(app: number.isMultiple(of: 100) ? 1 : 2)
                _ = try connection.campaignComments.insert("Hello", on: id, by: .key("root"), now: storeEpoch)
                try connection.campaignApprovals.insert(
                    .approved, version: 1, of: id, rehearsal: nil, reason: "Fine", by: .key("root"), now: storeEpoch
                )
            }
            try connection.analyze(store.engine)
        }
        let plan = try await store.read { connection in
            try connection.plan(
                of: ReviewTextRepository.listSQL(kind, connection.dialect),
                [.integer(1), .integer(0), .integer(0), .integer(0), .integer(200)], engine
            )
        }
        let index = kind == .comment ? "campaign_comments_by_campaign" : "campaign_approvals_by_campaign"
        #expect(plan.contains(index), "\(plan)")
        // Not in the order of all texts, whosever they are.
        if engine == .postgres { #expect(plan.contains("(campaign_id = c.id)"), "\(plan)") }
        #expect(!plan.contains("SCAN ") && !plan.contains("Seq Scan") && !plan.contains("TEMP B-TREE"), "\(plan)")
    }
}
