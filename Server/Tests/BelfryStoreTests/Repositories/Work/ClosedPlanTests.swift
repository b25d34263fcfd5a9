import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// Plans that a process may not continue: a search for work does not find them, or it would be repeated at once.
struct ClosedPlanTests {
    /// The attempts at a plan, and whether the process "a" may continue with it.
    private static let cases: [(status: WorkStatus, owner: String?, lease: TimeInterval, isOpen: Bool)] = [
        (.quarantined, nil, 0, false),
        (.open, "b", 15, false),
        // It has failed, and the clock was set back a little.
        (.open, nil, 15, false),
        (.open, "b", 0, true),
        (.open, "a", 15, true),
        // The clock was set back by much: nobody has it for so long.
        (.open, "b", 3_600, true),
    ]

    @Test("SEC-8: a plan that is quarantined, leased or waiting is not claimed", arguments: Engine.allCases)
    func closed(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let found = try await store.write { connection in
            try Self.cases.map { known -> [Bool] in
                let scheduled = try connection.makeCampaign(.scheduled, app: 1)
                try connection.change(scheduled) { $0.scheduledAt = storeEpoch }
                let launched = try connection.makeCampaign(app: 1)
                try connection.change(launched) { $0.campaign.launchedAt = storeEpoch }
                let ended = try connection.makeInAppCampaign(message: .test(endsAt: storeEpoch))
                for id in [scheduled, launched, ended] {
                    try connection.workAttempts.save(
                        WorkAttempt(
                            subject: .plan(id.number), status: known.status, attempts: 1, owner: known.owner,
                            leaseUntil: seconds(known.lease), since: storeEpoch
                        )
                    )
                }
                let found = [
                    try connection.campaigns.due(for: "a", now: storeEpoch) == [scheduled.number],
                    try connection.campaigns.nextScheduled(for: "a", now: storeEpoch) == storeEpoch,
                    try connection.campaigns.next(.planning, by: "a", now: storeEpoch) == launched.number,
                    try connection.inAppCampaigns.ended(for: "a", now: storeEpoch) == [ended.number],
                    try connection.inAppCampaigns.nextEnd(for: "a", now: storeEpoch) == storeEpoch,
                ]
                // The next case has its own.
                try connection.execute("UPDATE campaigns SET status = 'completed', planned = 1")
                return found
            }
        }
        #expect(found == Self.cases.map { Array(repeating: $0.isOpen, count: 5) })
    }

    @Test(
        "SEC-8: a campaign is paused and cancelled without being read, and an ended one stays as it is",
        arguments: Engine.allCases, CampaignStatus.allCases)
    func unread(_ engine: Engine, _ status: CampaignStatus) async throws {
        let store = try await TestStore.withApps(engine)
        let (isPaused, apps, row) = try await store.write { connection -> (Bool, [Int64?], CampaignRow?) in
            let id = try connection.makeInAppCampaign(status)
            let before = try connection.campaigns.appOfInApp(id)
            try connection.change(id) {
                $0.campaign.launchedAt = storeEpoch
                $0.closedTo = 7
            }
            let apps = [before, try connection.campaigns.appOfInApp(id)]
            let isPaused = try connection.campaigns.pauseUnread(id, because: StatusReason("paused"))
            let expected: CampaignStatus = isPaused ? .paused : status
            guard try connection.campaigns.status(of: id) == expected else { return (isPaused, apps, nil) }
            try connection.campaigns.cancelUnread(id, because: "cancelled", now: seconds(9))
            return (isPaused, apps, try connection.campaigns.find(id))
        }
        #expect(isPaused == [.scheduled, .sending, .active].contains(status))
        #expect(apps == [nil, 1])
        let isOver = [.cancelled, .completed].contains(status)
        let campaign = try #require(row?.campaign)
        #expect(campaign.status == (isOver ? status : .cancelled))
        #expect(campaign.statusReason == (isOver ? nil : "cancelled"))
        #expect(campaign.endedAt == (isOver ? nil : seconds(9)))
        #expect(row?.isPlanned == true && row?.closedTo == nil)
    }

    @Test(
        "SEC-8: a scan that continues keeps its lease, with a new count and position; no other does",
        arguments: Engine.allCases)
    func walks(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let subject = WorkSubject.upkeep(.events)
        let found = try await store.write { connection -> [WorkAttempt?] in
            try connection.workAttempts.save(
                WorkAttempt(subject: subject, attempts: 3, owner: "a", leaseUntil: seconds(1), since: storeEpoch)
            )
            var found: [WorkAttempt?] = []
            for (owner, reached) in [("b", 5), ("a", 7), ("a", nil)] as [(String, Int64?)] {
                try connection.workAttempts.beginAnew(subject, reached: reached, of: owner, until: seconds(9))
                found.append(try connection.workAttempts.find(subject))
            }
            try connection.workAttempts.forgive("a")
            found.append(try connection.workAttempts.find(subject))
            return found
        }
        #expect(found.map { $0?.attempts } == [3, 1, 1, 0])
        #expect(found.map { $0?.reached } == [0, 7, 7, 7])
        #expect(found.map { $0?.leaseUntil } == [seconds(1), seconds(9), seconds(9), Date(milliseconds: 0)])
    }
}
