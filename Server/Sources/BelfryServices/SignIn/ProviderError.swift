import BelfryModel

/// Why an identity provider did not sign somebody in (CON-3). No message repeats anything that came from outside.
package enum ProviderError: Error, Hashable, Sendable {
    /// The browser has no attempt that is under way, or it is too old.
    case noAttempt
    /// The answer belongs to another attempt than the browser's.
    case wrongState
    /// The answer, or its token, is another provider's.
    case wrongIssuer
    /// The person, or the provider, has declined.
    case declined
    /// The provider answered with another error (RFC 6749 §4.1.2.1).
    case refused
    case noCode
    case unreachable(AccessTokenExchangeError)
    /// What the provider says of itself cannot be used.
    case badMetadata
    case badKeys
    /// It gave no token for the code.
    case noToken(status: Int)
    case badToken(OpenIDError)
    /// The token was made for another attempt.
    case wrongNonce
    /// The token was made for another program.
    case wrongParty
    case noSubject
    /// More people without a role than are kept.
    case tooManyPeople
    case tooManyAtOnce

    /// What the person reads.
    package var message: String {
        switch self {
        case .noAttempt:
            "This sign-in was not begun in this browser, or more than \(SignInAttempt.lifetime / 60) minutes ago. "
                + "Begin again."
        case .wrongState: "This answer belongs to another sign-in. Begin again."
        case .declined: "The sign-in was declined at the provider."
        case .wrongIssuer, .refused, .noCode, .noToken, .badToken, .wrongNonce, .wrongParty, .noSubject:
            "The provider did not confirm who you are. Begin again; if it happens again, tell an operator of this server."
        case .unreachable, .badMetadata, .badKeys:
            "The provider cannot be reached. Try again in a minute; if it happens again, tell an operator of this server."
        case .tooManyPeople: "Too many people wait for a role. Ask an operator of this server to let you in."
        case .tooManyAtOnce: "Many people are signing in at once. Try again in a few seconds."
        }
    }

    /// Static text for the log: what an operator looks for.
    package var reason: String {
        switch self {
        case .noAttempt: "no attempt in this browser"
        case .wrongState: "another state"
        case .wrongIssuer: "another issuer"
        case .declined: "declined"
        case .refused: "error of the provider"
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
