import Foundation

/// The latest valid token of one connection's provider. The same token comes with each request; it is compared and not
/// verified again.
struct ProviderSession: Sendable {
    private static let scheme = "bearer "

    private var authorization: String?
    private var token: ProviderToken?

    /// Whether a valid token was received on this connection.
    var isAuthenticated: Bool { token != nil }

    /// Checks the `authorization` of one request; `verify` checks a signature.
    mutating func admit(
        _ header: String?,
        at environment: APNsEnvironment,
        now: Date,
        rules: ProviderTokenRules,
        verify: (String) -> ProviderToken?
    ) -> Result<ProviderToken, APNsRequestError> {
        if let token, header == authorization {
            if let error = rules.error(of: token, at: environment, now: now) { return .failure(error) }
            return .success(token)
        }
        guard let header, let text = Self.bearer(header) else {
            return .failure(APNsRequestError(.missingProviderToken))
        }
        guard let new = verify(text) else { return .failure(APNsRequestError(.invalidProviderToken)) }
        if let error = rules.error(of: new, at: environment, now: now) { return .failure(error) }
        if let token, let error = rules.error(of: new, after: token) { return .failure(error) }
        authorization = header
        token = new
        return .success(new)
    }

    private static func bearer(_ header: String) -> String? {
        guard header.count > scheme.count, header.prefix(scheme.count).lowercased() == scheme else { return nil }
        return String(header.dropFirst(scheme.count))
    }
}
