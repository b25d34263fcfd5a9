import BelfryModel
import CryptoExtras
import Foundation

/// An app's credentials for FCM: the service account of its Firebase project.
package struct FCMCredentials: Sendable {
    private let account: ServiceAccount
    package let endpoint: PushEndpoint
    /// PEM certificates to trust instead of the system's, for the endpoint and for the token address; empty: the
    /// system's are trusted.
    package let trustRoots: [String]

    package var projectID: String { account.projectID }
    package var clientEmail: String { account.clientEmail }
    package var privateKeyID: String? { account.privateKeyID }
    package var tokenURI: TokenURI { account.tokenURI }

    /// The error names the field as the admin API does: `serviceAccount`, `serviceAccount.private_key` and the other
    /// members of Google's file, `endpoint`, `trustRoots`.
    package init(
        serviceAccount json: String, endpoint: String? = nil, trustRoots: String? = nil
    ) throws(FieldError) {
        account = try ServiceAccount(json)
        self.endpoint = try FieldError.naming("endpoint") { () throws(ValueError) in
            if let endpoint { try PushEndpoint(endpoint) } else { .fcm }
        }
        self.trustRoots = try FieldError.naming("trustRoots") { () throws(ValueError) in
            if let trustRoots { try TrustRoots.parse(trustRoots) } else { [] }
        }
    }

    /// The errors of all invalid fields. The initializer only throws the first.
    package static func errors(
        serviceAccount json: String, endpoint: String? = nil, trustRoots: String? = nil
    ) -> [FieldError] {
        ServiceAccount.errors(json)
            + [
                FieldError.check("endpoint") { () throws(ValueError) in
                    if let endpoint { _ = try PushEndpoint(endpoint) }
                },
                FieldError.check("trustRoots") { () throws(ValueError) in
                    if let trustRoots { _ = try TrustRoots.parse(trustRoots) }
                },
            ].compactMap { $0 }
    }

    /// Whether the push tokens of these credentials are valid with the others too: project and endpoint are the same.
    package func reachesTheSameDevices(as other: FCMCredentials) -> Bool {
        projectID == other.projectID && endpoint == other.endpoint
    }

    /// The request for an access token (Google, "Using OAuth 2.0 for Server to Server Applications"; RFC 7523).
    package func accessTokenRequest(now: Date) throws -> AccessTokenRequest {
        let issuedAt = Int64(now.timeIntervalSince1970.rounded(.down))
        // Ids and addresses contain no characters that JSON must escape (ServiceAccount, WebAddress).
        let keyID = account.privateKeyID.map { #","kid":"\#($0)""# } ?? ""
        let header = #"{"alg":"RS256"\#(keyID),"typ":"JWT"}"#
        let claims =
            #"{"aud":"\#(tokenURI.url)","exp":\#(issuedAt + Self.assertionLifetime),"iat":\#(issuedAt),"#
            + #""iss":"\#(clientEmail)","scope":"\#(Self.scope)"}"#
        let signed = "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(claims.utf8))"
        let signature = try account.privateKey.signature(for: Data(signed.utf8), padding: .insecurePKCS1v1_5)
        return AccessTokenRequest(
            uri: tokenURI, assertion: "\(signed).\(Base64URL.encode(signature.rawRepresentation))"
        )
    }

    private static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    /// The lifetime of an assertion in seconds; Google accepts no longer ones.
    private static let assertionLifetime: Int64 = 3_600
}

extension FCMCredentials: CustomStringConvertible {
    /// A description without the key, so that no log can contain it.
    package var description: String { "FCM credentials of \(clientEmail), project \(projectID)" }
}
