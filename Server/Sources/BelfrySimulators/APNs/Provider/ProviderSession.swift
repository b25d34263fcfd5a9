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
        at environment: APNsSimulator.Environment,
        now: Date,
        rules: ProviderTokenRules,
        verify: (String) -> ProviderToken?
    ) -> Result<ProviderToken, APNsRefusal> {
        if let token, header == authorization {
            if let refusal = rules.refusal(of: token, at: environment, now: now) { return .failure(refusal) }
            return .success(token)
        }
        guard let header, let text = Self.bearer(header) else { return .failure(APNsRefusal(.missingProviderToken)) }
        guard let new = verify(text) else { return .failure(APNsRefusal(.invalidProviderToken)) }
        if let refusal = rules.refusal(of: new, at: environment, now: now) { return .failure(refusal) }
        if let token, let refusal = rules.refusal(of: new, after: token) { return .failure(refusal) }
        authorization = header
        token = new
        return .success(new)
    }

    private static func bearer(_ header: String) -> String? {
        guard header.count > scheme.count, header.prefix(scheme.count).lowercased() == scheme else { return nil }
        return String(header.dropFirst(scheme.count))
    }
}
