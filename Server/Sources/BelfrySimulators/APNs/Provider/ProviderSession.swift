import Foundation

/// What one connection remembers of its provider: the token that came last and was good. The same token comes with
/// each request and is compared, not verified again.
struct ProviderSession: Sendable {
    private static let scheme = "bearer "

    private var authorization: String?
    private var token: ProviderToken?

    /// Whether a good token has come on this connection.
    var isAuthenticated: Bool { token != nil }

    /// Judges the `authorization` of one request; `verify` checks a signature.
    mutating func admit(
        _ header: String?,
        at environment: APNsEnvironment,
        now: Date,
        rules: ProviderTokenRules,
        verify: (String) -> ProviderToken?
    ) -> Result<ProviderToken, APNsRequestError> {
        if let token, header == authorization {
            if let error = rules.refusal(of: token, at: environment, now: now) { return .failure(error) }
            return .success(token)
        }
        guard let header, let text = Self.bearer(header) else {
            return .failure(APNsRequestError(.missingProviderToken))
        }
        guard let new = verify(text) else { return .failure(APNsRequestError(.invalidProviderToken)) }
        if let error = rules.refusal(of: new, at: environment, now: now) { return .failure(error) }
        if let token, let error = rules.refusal(of: new, after: token) { return .failure(error) }
        authorization = header
        token = new
        return .success(new)
    }

    private static func bearer(_ header: String) -> String? {
        guard header.count > scheme.count, header.prefix(scheme.count).lowercased() == scheme else { return nil }
        return String(header.dropFirst(scheme.count))
    }
}
