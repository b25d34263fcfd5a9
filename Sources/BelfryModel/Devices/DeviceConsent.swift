/// The server's knowledge of a device's consent, for the decision whether to send to it (REG-22).
public struct DeviceConsent: Hashable, Sendable {
    public var hasToken: Bool
    /// The app's own switch for pushes.
    public var pushEnabled: Bool
    /// The operating system's permission; nil as long as it was not asked.
    public var osPushEnabled: Bool?
    /// An opt-out caused by a response of the push service, or by a client without snapshots (REG-31).
    public var optOut: OptOut?

    public init(hasToken: Bool, pushEnabled: Bool, osPushEnabled: Bool? = nil, optOut: OptOut? = nil) {
        self.hasToken = hasToken
        self.pushEnabled = pushEnabled
        self.osPushEnabled = osPushEnabled
        self.optOut = optOut
    }
}

extension DeviceConsent {
    /// Whether a push may be sent; if not, the reason for the ledger (REG-22, REG-31). Credentials that the push
    /// service rejected are also a reason, until an operator replaces them.
    ///
    /// A person's opt-out precedes the push service's, and both precede a missing token: a person who denies
    /// notifications has no token either (REG-30), and the denial explains that.
    public var pushEligibility: Eligibility {
        let error = suppression ?? (optOut?.reason).map(DeliveryReason.optedOut)
        return if let error { .ineligible(reason: error.rawValue) } else { .eligible }
    }

    /// Whether an in-app message may be sent. It needs neither a token nor an opt-in, so it always may (REG-22).
    public var inAppEligibility: Eligibility { .eligible }

    /// The reason for the ledger why a push to the device is suppressed; nil when it may be sent (LED-1). All code that
    /// needs to know whether a push may be sent uses this property (LED-4); the store has the same rule in SQL.
    ///
    /// Wrong credentials are the operator's error, not the device's: the send is repeated (REG-33).
    public var suppression: DeliveryReason? {
        if !pushEnabled { return .optedOut(.user) }
        if osPushEnabled == false { return .optedOut(.osSetting) }
        if let optOut, optOut.reason != .providerAuthentication { return .optedOut(optOut.reason) }
        return hasToken ? nil : .noToken
    }

    /// Whether a push may be sent: the property `pushOptIn` of conditions (CAMP-3).
    public var isOptedIn: Bool { suppression == nil }
}
