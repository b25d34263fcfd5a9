import BelfryModel
import CryptoExtras
import Foundation

/// What Belfry needs to send through FCM for one app: the service account of its Firebase project.
package struct FCMCredentials: Sendable {
    private let account: ServiceAccount
    package let endpoint: PushEndpoint
    /// PEM certificates to trust instead of the system's, for the endpoint and for the token address; empty: the
    /// system's.
    package let trustRoots: [String]

    package var projectID: String { account.projectID }
    package var clientEmail: String { account.clientEmail }
    package var privateKeyID: String? { account.privateKeyID }
    package var tokenURI: TokenURI { account.tokenURI }

    /// The fields are named in refusals as the admin API names them: `serviceAccount`, `serviceAccount.private_key` and
    /// the others of Google's file, `endpoint`, `trustRoots`.
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

    /// The refusal of every field that is wrong, where the initialiser tells the first alone.
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

    /// Whether a token that is good for these is good for the others: project and endpoint are the same.
    package func reachesTheSameDevices(as other: FCMCredentials) -> Bool {
        projectID == other.projectID && endpoint == other.endpoint
    }

    /// The call that gets an access token (Google, "Using OAuth 2.0 for Server to Server Applications"; RFC 7523).
    package func accessTokenRequest(now: Date) throws -> AccessTokenRequest {
        let issuedAt = Int64(now.timeIntervalSince1970.rounded(.down))
        // Ids and addresses are of characters that JSON takes as they are (ServiceAccount, WebAddress).
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
    /// Seconds; Google takes no longer ones.
    private static let assertionLifetime: Int64 = 3_600
}

extension FCMCredentials: CustomStringConvertible {
    /// Without the key, whatever a log does with it.
    package var description: String { "FCM credentials of \(clientEmail), project \(projectID)" }
}
