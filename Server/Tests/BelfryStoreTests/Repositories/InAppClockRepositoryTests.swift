import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

struct InAppClockRepositoryTests {
    @Test("PERF-7: each app has a clock of its own, which every change moves on", arguments: Engine.allCases)
    func advances(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let clocks = try await store.write { connection in
            var clocks = [try connection.inAppClocks.find(app: 1)]
            for isVolatile in [false, true, true, false] {
                try connection.inAppClocks.advance(app: 1, volatile: isVolatile)
                clocks.append(try connection.inAppClocks.find(app: 1))
            }
            return clocks + [try connection.inAppClocks.find(app: 2)]
        }
        #expect(clocks.map(\.version) == [0, 1, 2, 3, 4, 0])
        #expect(clocks.map(\.isVolatile) == [false, false, true, true, false, false])
    }

    @Test("PERF-7, IAM-1: an app is volatile while an active audience asks for events or counts from now")
    func volatile() async throws {
        let store = try await TestStore.withApps(.sqlite)
        let bought = Condition.event(EventClause(name: "purchase"))
        let flags = try await store.write { connection in
            var flags: [Bool] = []
            func note() throws {
                try connection.inAppClocks.advance(app: 1)
                flags.append(try connection.inAppClocks.find(app: 1).isVolatile)
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

    @Test("PERF-7: what audiences mean changes for those apps that have in-app messages", arguments: Engine.allCases)
    func meaning(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let versions = try await store.write { connection in
            try connection.inAppClocks.advance(app: 1)
            for app in [1, 2] as [Int64] { try connection.inAppClocks.audiencesChanged(app: app) }
            return try [1, 2].map { try connection.inAppClocks.find(app: $0).version }
        }
        #expect(versions == [2, 0])
    }
}
