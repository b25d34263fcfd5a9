import BelfryModel

/// Why an identity provider did not sign somebody in (CON-3). No message repeats text from outside.
package enum ProviderError: Error, Hashable, Sendable {
    /// The browser has no sign-in attempt in progress, or the attempt is too old.
    case noAttempt
    /// The response belongs to another attempt than the browser's.
    case wrongState
    /// The response, or its token, comes from another provider.
    case wrongIssuer
    /// The person or the provider has declined.
    case declined
    /// The provider responded with another error (RFC 6749 §4.1.2.1).
    case rejected
    case noCode
    case unreachable(AccessTokenExchangeError)
    /// The provider's metadata cannot be used.
    case badMetadata
    case badKeys
    /// The provider issued no token for the code.
    case noToken(status: Int)
    case badToken(OpenIDError)
    /// The token was issued for another attempt.
    case wrongNonce
    /// The token was issued for another client.
    case wrongParty
    case noSubject
    /// The limit of people without a role is reached.
    case tooManyPeople
    case tooManyAtOnce

    /// The message for the person.
    package var message: String {
        switch self {
        case .noAttempt:
            "This sign-in was not begun in this browser, or more than \(SignInAttempt.lifetime / 60) minutes ago. "
                + "Begin again."
        case .wrongState: "This answer belongs to another sign-in. Begin again."
        case .declined: "The sign-in was declined at the provider."
        case .wrongIssuer, .rejected, .noCode, .noToken, .badToken, .wrongNonce, .wrongParty, .noSubject:
            "The provider did not confirm who you are. Begin again; if it happens again, tell an operator of this server."
        case .unreachable, .badMetadata, .badKeys:
            "The provider cannot be reached. Try again in a minute; if it happens again, tell an operator of this server."
        case .tooManyPeople: "Too many people wait for a role. Ask an operator of this server to let you in."
        case .tooManyAtOnce: "Many people are signing in at once. Try again in a few seconds."
        }
    }

    /// The reason for the log: static text that helps the operator.
    package var reason: String {
        switch self {
        case .noAttempt: "no attempt in this browser"
        case .wrongState: "another state"
        case .wrongIssuer: "another issuer"
        case .declined: "declined"
        case .rejected: "error of the provider"
        case .noCode: "no code"
        case .unreachable(let error): error.reason
        case .badMetadata: "unusable discovery document"
        case .badKeys: "unusable key set"
        case .noToken(let status): "no token, status \(status)"
        case .badToken(let error): error.message
        case .wrongNonce: "another nonce"
        case .wrongParty: "token for another program"
        case .noSubject: "no usable subject"
        case .tooManyPeople: "too many people without a role"
        case .tooManyAtOnce: "too many sign-ins at once"
        }
    }
}
