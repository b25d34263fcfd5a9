import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// Apps that have as many batches under way as one worker takes of them.
struct AppShareTests {
    @Test(
        "PUSH-5, SEC-8: batches beyond an app's share are not due, and other apps' batches do not wait",
        arguments: Engine.allCases)
    func share(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let small = try await store.write { connection in
            try connection.makeBatches(9, of: try connection.makeCampaign(app: 1))
            let small = try connection.makeCampaign(app: 2)
            try connection.makeBatches(1, of: small, dueAt: seconds(7))
            return small
        }
        let held = try await store.write { connection in
            try connection.batches.claim(owner: "a", until: seconds(15), now: storeEpoch, limit: 9, perApp: 2)
        }
        #expect(held.count == 2)
        let due = try await store.read { connection in
            [
                try connection.batches.nextDue(except: held, perApp: 2),
                try connection.batches.nextDue(except: held, perApp: 3),
                try connection.batches.nextDue(except: held),
            ]
        }
        #expect(due == [seconds(7), storeEpoch, storeEpoch])

        // Another worker takes all the others, and dies.
        let lost = try await store.write { connection in
            try connection.batches.claim(owner: "b", until: seconds(15), now: seconds(7), limit: 99, except: held)
        }
        #expect(lost.count == 8)
        let found = try await store.read { connection in
            try [2, 3].map { share in
                try connection.batches.abandoned(now: seconds(15), limit: 2, perApp: share, except: held)
                    .map(\.batch.campaign)
            }
        }
        #expect(found == [[small], [held[0].campaign, held[0].campaign]])
    }
}
