import BelfryPush

/// Brings an assertion to an authorization server and its answer back (PUSH-2, SEC-5).
package protocol AccessTokenExchange: Sendable {
    /// One POST, no redirect. Whatever status is answered, it is no error.
    ///
    /// - Parameter trustRoots: certificates in PEM; none: the system's.
    /// - Throws: ``AccessTokenExchangeFault``, or `CancellationError`.
    func post(_ request: AccessTokenRequest, trustRoots: [String]) async throws -> (status: Int, body: [UInt8])
}

/// Why an authorization server gave no answer. None of these tells anything of the credentials.
package enum AccessTokenExchangeFault: Error, Hashable, Sendable {
    /// Its host has no address that the server may speak to (SEC-5).
    case privateAddress
    /// Only this machine is spoken to without TLS.
    case notEncrypted
    case unusableTrustRoots
    case unknownHost
    /// Nobody answered in time.
    case timeout
    /// Not connected, not trusted, or the connection was lost.
    case noConnection
    case answerTooLong

    /// Static text for the one who reads the ledger.
    package var reason: String {
        switch self {
        case .privateAddress: "the authorization server is on a private address"
        case .notEncrypted: "the authorization server does not speak https"
        case .unusableTrustRoots: "unusable trust roots"
        case .unknownHost: "the authorization server's host is unknown"
        case .timeout: "the authorization server gave no answer in time"
        case .noConnection: "no connection to the authorization server"
        case .answerTooLong: "the authorization server's answer is too long"
        }
    }
}
