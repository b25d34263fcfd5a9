import BelfryCampaigns
import BelfryModel
import Foundation
import Testing

struct ConsentRulesTests {
    private let now = Date(timeIntervalSince1970: 1_763_683_200)
    private let earlier = Date(timeIntervalSince1970: 1_763_679_600)

    @Test("REG-31: the app's switch gives 'user', the system's permission 'os-setting', with the time of the change")
    func errors() {
        #expect(optOut(pushEnabled: false) == OptOut(reason: .user, at: now))
        #expect(optOut(pushEnabled: true, osPushEnabled: false) == OptOut(reason: .osSetting, at: now))
        #expect(optOut(pushEnabled: false, osPushEnabled: false) == OptOut(reason: .user, at: now))
        #expect(optOut(pushEnabled: true, osPushEnabled: true) == nil)
    }

    @Test("REG-31: a repeated opt-out keeps its time")
    func repeated() {
        for reason in [OptOutReason.user, .osSetting] {
            let former = OptOut(reason: reason, at: earlier)
            let repeated = optOut(former, pushEnabled: reason != .user, osPushEnabled: reason != .osSetting)
            #expect(repeated == former)
        }
        let other = OptOut(reason: .osSetting, at: earlier)
        #expect(optOut(other, pushEnabled: false, osPushEnabled: false) == OptOut(reason: .user, at: now))
    }

    @Test(
        "REG-34: an opt-in lifts a token opt-out",
        arguments: [OptOutReason.tokenInvalid, .tokenMalformed])
    func tokenOptOuts(_ reason: OptOutReason) {
        let former = OptOut(reason: reason, at: earlier)
        #expect(optOut(former, pushEnabled: true) == former)
        #expect(optOut(former, wasEnabled: false, pushEnabled: true) == nil)
    }

    @Test("REG-33: nothing on the device lifts provider-authentication, but its own opt-out takes precedence")
    func providerAuthentication() {
        let former = OptOut(reason: .providerAuthentication, at: earlier)
        #expect(optOut(former, wasEnabled: false, pushEnabled: true) == former)
        #expect(optOut(former, pushEnabled: false)?.reason == .user)
    }

    @Test("REG-22: exactly an opt-out opts the device out, and exactly an opt-in brings it back")
    func everything() {
        let formers = [nil] + OptOutReason.allCases.map { OptOut(reason: $0, at: earlier) }
        for former in formers {
            for wasEnabled in [true, false] {
                for pushEnabled in [nil, true, false] {
                    for osPushEnabled in [nil, true, false] {
                        let after = optOut(
                            former, wasEnabled: wasEnabled, pushEnabled: pushEnabled, osPushEnabled: osPushEnabled
                        )
                        check(
                            after, former: former, saidNo: pushEnabled == false || osPushEnabled == false,
                            lifts: !wasEnabled
                        )
                    }
                }
            }
        }
    }

    private func check(_ after: OptOut?, former: OptOut?, saidNo: Bool, lifts: Bool) {
        if saidNo {
            #expect(after?.reason == .user || after?.reason == .osSetting)
            return
        }
        switch former?.reason {
        case nil, .user, .osSetting: #expect(after == nil)
        case .tokenInvalid, .tokenMalformed: #expect(after == (lifts ? nil : former))
        case .providerAuthentication: #expect(after == former)
        }
    }

    private func optOut(
        _ former: OptOut? = nil, wasEnabled: Bool = true, pushEnabled: Bool?, osPushEnabled: Bool? = nil
    ) -> OptOut? {
        ConsentRules.optOut(
            after: .init(
                current: former, wasEnabled: wasEnabled, pushEnabled: pushEnabled, osPushEnabled: osPushEnabled
            ),
            now: now
        )
    }
}
