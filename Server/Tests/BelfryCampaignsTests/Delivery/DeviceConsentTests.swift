import BelfryModel
import Testing

struct DeviceConsentTests {
    @Test("REG-22: a device with a token and no opt-out is eligible, otherwise there is a reason")
    func reasons() {
        let invalid = OptOut(reason: .tokenInvalid, at: deliveryEpoch)
        let table: [(consent: DeviceConsent, reason: String?)] = [
            (DeviceConsent(hasToken: true, pushEnabled: true), nil),
            (DeviceConsent(hasToken: true, pushEnabled: true, osPushEnabled: true), nil),
            (DeviceConsent(hasToken: false, pushEnabled: true), "noToken"),
            (DeviceConsent(hasToken: true, pushEnabled: false), "optedOut:user"),
            (DeviceConsent(hasToken: true, pushEnabled: true, osPushEnabled: false), "optedOut:os-setting"),
            (DeviceConsent(hasToken: true, pushEnabled: true, optOut: invalid), "optedOut:token-invalid"),
            (DeviceConsent(hasToken: false, pushEnabled: false, osPushEnabled: false), "optedOut:user"),
            (DeviceConsent(hasToken: false, pushEnabled: true, osPushEnabled: false), "optedOut:os-setting"),
            (DeviceConsent(hasToken: false, pushEnabled: true, optOut: invalid), "optedOut:token-invalid"),
        ]
        for (consent, reason) in table {
            #expect(consent.pushEligibility.reason == reason)
            #expect(consent.pushEligibility.isEligible == (reason == nil))
        }
    }

    @Test("REG-31: each opt-out shows its own reason", arguments: OptOutReason.allCases)
    func optOutReasons(_ reason: OptOutReason) {
        let optOut = OptOut(reason: reason, at: deliveryEpoch)
        let consent = DeviceConsent(hasToken: true, pushEnabled: true, optOut: optOut)
        #expect(consent.pushEligibility == .ineligible(reason: "optedOut:\(reason.rawValue)"))
    }

    @Test(
        """
        LED-1, LED-4, REG-33: of all consents, exactly those without objection and with a token are not suppressed; \
        credentials that were refused are no objection, and are told
        """
    )
    func everyConsent() {
        let optOuts = [nil] + OptOutReason.allCases.map { OptOut(reason: $0, at: deliveryEpoch) }
        for optOut in optOuts {
            for hasToken in [true, false] {
                for pushEnabled in [true, false] {
                    for osPushEnabled in [nil, true, false] {
                        let consent = DeviceConsent(
                            hasToken: hasToken,
                            pushEnabled: pushEnabled,
                            osPushEnabled: osPushEnabled,
                            optOut: optOut
                        )
                        let agrees = hasToken && pushEnabled && osPushEnabled != false
                        let isOperators = optOut?.reason == .providerAuthentication
                        #expect((consent.suppression == nil) == (agrees && (optOut == nil || isOperators)))
                        #expect(consent.pushEligibility.isEligible == (agrees && optOut == nil))
                        #expect(consent.inAppEligibility == .eligible)
                    }
                }
            }
        }
    }
}
