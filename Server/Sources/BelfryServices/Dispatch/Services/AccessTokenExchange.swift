import BelfryPush

/// Sends an assertion to an authorization server and returns the response (PUSH-2, SEC-5).
package protocol AccessTokenExchange: Sendable {
    /// One POST without redirects. Every HTTP status is returned, none is an error.
    ///
    /// - Parameter trustRoots: PEM certificates; if empty, the system's.
    /// - Throws: ``AccessTokenExchangeError``, or `CancellationError`.
    func post(_ request: AccessTokenRequest, trustRoots: [String]) async throws -> (status: Int, body: [UInt8])
}

/// Why an authorization server did not respond. None of these says anything about the credentials.
package enum AccessTokenExchangeError: Error, Hashable, Sendable {
    /// Its host has no address that this server may connect to (SEC-5).
    case privateAddress
    /// Without TLS only loopback addresses are allowed.
    case notEncrypted
    case unusableTrustRoots
    case unknownHost
    /// There was no response in time.
    case timeout
    /// Not connected, not trusted, or the connection was lost.
    case noConnection
    case responseTooLong

    /// A fixed text for the ledger.
    package var reason: String {
        switch self {
        case .privateAddress: "the authorization server is on a private address"
        case .notEncrypted: "the authorization server does not use https"
        case .unusableTrustRoots: "unusable trust roots"
        case .unknownHost: "the authorization server's host is unknown"
        case .timeout: "the authorization server did not respond in time"
        case .noConnection: "no connection to the authorization server"
        case .responseTooLong: "the authorization server's response is too long"
        }
    }
}
