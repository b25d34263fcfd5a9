/// What the server knows about a device's consent when it decides whether to send to it (REG-22).
public struct DeviceConsent: Hashable, Sendable {
    public var hasToken: Bool
    /// The app's own switch.
    public var pushEnabled: Bool
    /// What the operating system answered; nil as long as it was not asked.
    public var osPushEnabled: Bool?
    /// What the push service's answers, or a client without snapshots, left behind (REG-31).
    public var optOut: OptOut?

    public init(hasToken: Bool, pushEnabled: Bool, osPushEnabled: Bool? = nil, optOut: OptOut? = nil) {
        self.hasToken = hasToken
        self.pushEnabled = pushEnabled
        self.osPushEnabled = osPushEnabled
        self.optOut = optOut
    }
}

extension DeviceConsent {
    /// Whether a push may be sent, and with each no the reason that the ledger keeps (REG-22, REG-31). Credentials that
    /// the push service refused are told as well, as long as nobody put others.
    ///
    /// A person's no goes before the push service's, and both before a missing token: who refuses notifications
    /// has no token either (REG-30), and the refusal is what explains it.
    public var pushEligibility: Eligibility {
        let error = suppression ?? (optOut?.reason).map(DeliveryReason.optedOut)
        return if let error { .ineligible(reason: error.rawValue) } else { .eligible }
    }

    /// Whether an in-app message may be sent: it needs neither a token nor an opt-in, so always (REG-22).
    public var inAppEligibility: Eligibility { .eligible }

    /// Why a push to the device is suppressed, as the ledger says it; nil when it may be sent (LED-1). Whoever asks whether
    /// a push may be sent asks this (LED-4); the store has the same in SQL.
    ///
    /// Wrong credentials are the operator's fault and not the device's: its send is tried again (REG-33).
    public var suppression: DeliveryReason? {
        if !pushEnabled { return .optedOut(.user) }
        if osPushEnabled == false { return .optedOut(.osSetting) }
        if let optOut, optOut.reason != .providerAuthentication { return .optedOut(optOut.reason) }
        return hasToken ? nil : .noToken
    }

    /// Whether a push may be sent: the property `pushOptIn` of conditions (CAMP-3).
    public var isOptedIn: Bool { suppression == nil }
}
