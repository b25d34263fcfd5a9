import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Testing

struct WaitingCampaignTests {
    @Test(
        "CAMP-3: a campaign needs its audience while it is scheduled, paused before its time, or being planned",
        arguments: Engine.allCases)
    func waiting(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let (expected, found) = try await store.write { connection in
            let app = try connection.makeApp()
            let other = try connection.makeApp("other")
            func make(_ status: CampaignStatus, launched: Bool, planned: Bool, app: Int64) throws -> Int64 {
                let id = try connection.makeCampaign(status, app: app)
                guard var row = try connection.campaigns.find(id) else { return id.number }
                row.campaign.launchedAt = launched ? storeEpoch : nil
                row.isPlanned = planned
                try connection.campaigns.save(row)
                return id.number
            }
            var expected: [Int64] = []
            for status in CampaignStatus.allCases {
                for (launched, planned) in [(false, false), (false, true), (true, false), (true, true)] {
                    _ = try make(status, launched: launched, planned: planned, app: other)
                    let id = try make(status, launched: launched, planned: planned, app: app)
                    if launched ? !planned : [.scheduled, .paused].contains(status) { expected.append(id) }
                }
            }
            // They include one that cannot be read.
            _ = try connection.execute("UPDATE campaigns SET content = 'no JSON' WHERE id = ?", [.integer(expected[0])])
            return (expected, try connection.campaigns.waiting(app: app))
        }
        #expect(found == expected)
    }

    @Test("CAMP-3, IAM-1: an in-app campaign needs its audience while it is active", arguments: Engine.allCases)
    func inApp(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let (expected, found) = try await store.write { connection in
            var expected: [Int64] = []
            for status in CampaignStatus.allCases {
                let id = try connection.makeInAppCampaign(status)
                try connection.change(id) { row in
                    row.campaign.launchedAt = status == .scheduled ? nil : storeEpoch
                    row.isPlanned = true
                }
                if [.scheduled, .active, .paused].contains(status) { expected.append(id.number) }
            }
            return (expected, try connection.campaigns.waiting(app: 1))
        }
        #expect(found == expected)
    }
}
