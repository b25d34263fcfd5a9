import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// FLEET-2: when a device is dead.
struct DormancyRuleTests {
    private static let unreachable = DeviceConsent(hasToken: false, pushEnabled: true)

    /// - Parameters:
    ///   - opened: how many days ago.
    ///   - refreshed: the same.
    ///   - changed: the same.
    private static func decision(
        _ consent: DeviceConsent = DormancyRuleTests.unreachable, opened: Double? = nil, refreshed: Double? = nil,
        changed: Double = 1_000, waiting: Set<DeviceActivity.WaitingWork> = [], after days: Int? = nil
    ) -> DormancyRule.Decision {
        let now = ServiceWorld.epoch
        var settings = AppSettings()
        settings.dormantAfterDays = days
        let device = DeviceActivity(
            device: 1, app: 1, consent: consent,
            lastOpenedAt: opened.map { now.addingTimeInterval(-$0 * 86_400) },
            lastRefreshedAt: refreshed.map { now.addingTimeInterval(-$0 * 86_400) },
            updatedAt: now.addingTimeInterval(-changed * 86_400), waiting: waiting
        )
        return DormancyRule(of: settings).decision(on: device, now: now)
    }

    @Test("FLEET-2: neither opened nor changed for longer than the app's term, 400 days by default")
    func term() {
        #expect(Self.decision(changed: 400) == .lives(.active))
        #expect(Self.decision(changed: 400.001) == .isDead)
        #expect(Self.decision(opened: 400, changed: 1_000) == .lives(.active))
        #expect(Self.decision(opened: 401, changed: 1_000) == .isDead)
        #expect(Self.decision(opened: 1_000, changed: 10) == .lives(.active))
        #expect(Self.decision(refreshed: 400, changed: 1_000) == .lives(.active))
        #expect(Self.decision(refreshed: 401, changed: 1_000) == .isDead)
        // A clock that was set back.
        #expect(Self.decision(changed: -1_000) == .lives(.active))
        #expect(Self.decision(changed: 30, after: 30) == .lives(.active))
        #expect(Self.decision(changed: 31, after: 30) == .isDead)
    }

    @Test("FLEET-2: no push reaches it, and none will once credentials are put right")
    func consent() {
        func token(
            _ reason: OptOutReason? = nil, hasToken: Bool = true, pushEnabled: Bool = true, osPushEnabled: Bool? = nil
        ) -> DormancyRule.Decision {
            Self.decision(
                DeviceConsent(
                    hasToken: hasToken, pushEnabled: pushEnabled, osPushEnabled: osPushEnabled,
                    optOut: reason.map { OptOut(reason: $0, at: ServiceWorld.epoch) }
                )
            )
        }
        #expect(token() == .lives(.reachable))
        #expect(token(.providerAuthentication) == .lives(.reachable))
        #expect(token(.providerAuthentication, hasToken: false) == .lives(.rejected))
        #expect(token(.tokenMalformed) == .lives(.rejected))
        for reason in [OptOutReason.user, .osSetting, .tokenInvalid] { #expect(token(reason) == .isDead) }
        #expect(token(hasToken: false) == .isDead)
        #expect(token(pushEnabled: false) == .isDead)
        #expect(token(osPushEnabled: false) == .isDead)
    }

    @Test("FLEET-2: nothing waits for it", arguments: DeviceActivity.WaitingWork.allCases)
    func waiting(_ work: DeviceActivity.WaitingWork) {
        #expect(Self.decision(waiting: [work]) == .lives(.waitedFor(work)))
        #expect(Self.decision(changed: 1, waiting: [work]) == .lives(.active))
    }
}
