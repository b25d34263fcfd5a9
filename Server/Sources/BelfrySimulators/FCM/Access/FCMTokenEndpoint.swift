import Foundation

/// `POST /token`: exchanges an assertion for an access token (RFC 7523 §2.1), as `https://oauth2.googleapis.com/token`
/// does.
struct FCMTokenEndpoint: Sendable {
    static let path = "/token"
    private static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"

    let accounts: SimulatedFCMAccounts
    let tokens: FCMAccessTokens
    let random: RandomSource
    /// The lifetime of an access token in seconds.
    let lifetime: TimeInterval

    private struct Body: Encodable {
        var token: String
        var expiresIn: Int
        var type = "Bearer"

        private enum CodingKeys: String, CodingKey {
            case token = "access_token"
            case expiresIn = "expires_in"
            case type = "token_type"
        }
    }

    func answer(_ request: PlainRequest, audience: String, now: Date) throws(FCMTokenError) -> SimulatedResponse {
        let assertion = try FCMAssertion(
            try Self.assertion(in: request),
            audience: audience,
            now: now,
            account: accounts.account
        )
        let token = "ya29.c." + SimulatorBase64URL.encode(random.bytes() + random.bytes())
        let grant = FCMAccessTokens.Grant(
            projectID: assertion.projectID,
            mayMessage: assertion.mayMessage,
            expiresAt: now.addingTimeInterval(lifetime)
        )
        tokens.add(token, grant, now: now)
        let body = Body(token: token, expiresIn: Int(exactly: lifetime.rounded(.down)) ?? 3_600)
        return .ofTokenEndpoint(status: 200, body)
    }

    private static func assertion(in request: PlainRequest) throws(FCMTokenError) -> String {
        guard request.method == "POST" else { throw FCMTokenError(.notFound, "The method must be POST.") }
        let type = request.field("content-type")?.lowercased() ?? ""
        guard type.hasPrefix("application/x-www-form-urlencoded"), request.bodyLength <= PlainRequest.keptBytes else {
            throw FCMTokenError(.invalidRequest, "Bad Request: a form (x-www-form-urlencoded) is expected.")
        }
        let form = FormFields(request.body)
        guard let grantType = form["grant_type"], !grantType.isEmpty else {
            throw FCMTokenError(.invalidRequest, "Required parameter is missing: grant_type")
        }
        guard grantType == Self.grantType else {
            throw FCMTokenError(.unsupportedGrantType, "Invalid grant_type: \(grantType)")
        }
        guard let assertion = form["assertion"], !assertion.isEmpty else {
            throw FCMTokenError(.invalidRequest, "Missing required parameter: assertion")
        }
        return assertion
    }
}
