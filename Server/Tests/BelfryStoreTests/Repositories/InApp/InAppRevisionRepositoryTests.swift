import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

struct InAppRevisionRepositoryTests {
    @Test("PERF-7: each app has its own revision, which every change advances", arguments: Engine.allCases)
    func advances(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let clocks = try await store.write { connection in
            var clocks = [try connection.inAppRevisions.find(app: 1)]
            for (isVolatile, seconds) in [(false, 0), (true, 0), (true, -60), (false, 60)] as [(Bool, TimeInterval)] {
                try connection.inAppRevisions.advance(
                    app: 1, volatile: isVolatile, entrances: .none, now: storeEpoch.addingTimeInterval(seconds))
                clocks.append(try connection.inAppRevisions.find(app: 1))
            }
            return clocks + [try connection.inAppRevisions.find(app: 2)]
        }
        // By the time, and by one where it stands still or goes back: a restored backup repeats no version.
        let start = storeEpoch.milliseconds
        #expect(clocks.map(\.version) == [0, start, start + 1, start + 2, start + 60_000, 0])
        #expect(clocks.map(\.isVolatile) == [false, false, true, true, false, false])
    }

    @Test("PERF-7, IAM-1: an app is volatile while an active audience depends on events or counts from now")
    func volatile() async throws {
        let store = try await TestStore.withApps(.sqlite)
        let bought = Condition.event(EventClause(name: "purchase"))
        let flags = try await store.write { connection in
            var flags: [Bool] = []
            func note() throws {
                try connection.inAppRevisions.advance(app: 1, now: storeEpoch)
                flags.append(try connection.inAppRevisions.find(app: 1).isVolatile)
            }
            _ = try connection.makeInAppCampaign(audience: .tag("sports"))
            _ = try connection.makeInAppCampaign(.paused, audience: bought)
            _ = try connection.makeInAppCampaign(app: 2, audience: bought)
            try note()
            let asking = try connection.makeInAppCampaign(audience: .all([.everyone, .not(bought)]))
            try note()
            try connection.change(asking) { $0.campaign.status = .cancelled }
            try note()
            return flags
        }
        #expect(flags == [false, true, false])
    }

    @Test("PERF-7: a quarantined campaign advances its app's revision")
    func failCorrupt() async throws {
        let store = try await TestStore.withApps(.sqlite)
        let versions = try await store.write { connection in
            let id = try connection.makeInAppCampaign()
            let before = try connection.inAppRevisions.find(app: 1).version
            try connection.campaigns.failCorrupt(id.number, because: "It cannot be read.", now: storeEpoch)
            return (before, try connection.inAppRevisions.find(app: 1).version)
        }
        #expect(versions.1 > versions.0)
    }

    @Test("PERF-7: a change of what audiences mean advances the apps with in-app messages", arguments: Engine.allCases)
    func meaning(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let versions = try await store.write { connection in
            try connection.inAppRevisions.advance(app: 1, now: storeEpoch)
            for app in [1, 2] as [Int64] { try connection.inAppRevisions.audiencesChanged(app: app, now: storeEpoch) }
            return try [1, 2].map { try connection.inAppRevisions.find(app: $0).version }
        }
        #expect(versions == [storeEpoch.milliseconds + 1, 0])
    }
}
