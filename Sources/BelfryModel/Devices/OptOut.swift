import Foundation

/// The reason why a device gets no push (REG-31).
public enum OptOutReason: String, Hashable, Sendable, Codable, CaseIterable {
    case user
    case osSetting = "os-setting"
    case tokenInvalid = "token-invalid"
    case tokenMalformed = "token-malformed"
    case providerAuthentication = "provider-authentication"
}

/// An opt-out with its reason and its time.
public struct OptOut: Hashable, Sendable {
    public let reason: OptOutReason
    public let at: Date

    public init(reason: OptOutReason, at: Date) {
        self.reason = reason
        self.at = at
    }
}

/// Whether messages of one channel may be sent to a device; if not, with a reason (REG-22).
public enum Eligibility: Hashable, Sendable {
    case eligible
    case ineligible(reason: String)

    public var isEligible: Bool { self == .eligible }

    public var reason: String? {
        guard case .ineligible(let reason) = self else { return nil }
        return reason
    }
}
