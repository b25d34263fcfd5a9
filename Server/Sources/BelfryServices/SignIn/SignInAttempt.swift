import BelfryModel
import BelfryPush
import Crypto
import Foundation

/// A sign-in with a provider that is in progress. The browser keeps it in a cookie that it cannot read. So the response
/// is only accepted from the browser that asked, by any server of the deployment.
struct SignInAttempt: Hashable, Sendable, Codable {
    /// How long the person may take at the provider, in seconds.
    static let lifetime = 600
    /// The most bytes of the page's address; a cookie has 4,096.
    static let maximumNextLength = 1_024
    private static let maximumSealedLength = 4_096

    /// Returned with the response.
    let state: String
    /// Returned in the token.
    let nonce: String
    /// Proves that the code is used by the server that asked for it (RFC 7636).
    let verifier: String
    /// The page to open afterwards.
    let next: String
    /// When the attempt began, in seconds since 1970.
    let begun: Int64

    init(next: String, environment: ServerEnvironment) {
        state = Base64URL.encode(environment.randomBytes(24))
        nonce = Base64URL.encode(environment.randomBytes(24))
        verifier = Base64URL.encode(environment.randomBytes(32))
        self.next = next.utf8.count <= Self.maximumNextLength ? next : ""
        begun = Int64(environment.now().timeIntervalSince1970)
    }

    /// The challenge that the provider keeps for the verifier (RFC 7636 §4.2, `S256`).
    var challenge: String { Base64URL.encode(Array(SHA256.hash(data: Data(verifier.utf8)))) }

    /// The attempt for the cookie: encrypted and authenticated, for this provider only.
    func sealed(_ keys: ServerKeys, provider: SignInProvider) throws -> String {
        Base64URL.encode(try keys.seal(Array(JSONEncoder().encode(self)), context: Self.context(provider)))
    }

    /// Nil for a text that this server did not make for this provider, and for an attempt that is too old.
    init?(sealed text: String, keys: ServerKeys, provider: SignInProvider, now: Date) {
        guard text.utf8.count <= Self.maximumSealedLength, let bytes = Base64URL.decodeCanonical(utf8: text.utf8),
            let plain = try? keys.open(bytes, context: Self.context(provider)),
            let attempt = try? CheckedJSON.decode(Self.self, from: plain)
        else { return nil }
        let age = Int64(now.timeIntervalSince1970) - attempt.begun
        guard age >= 0, age <= Self.lifetime else { return nil }
        self = attempt
    }

    private static func context(_ provider: SignInProvider) -> String {
        "sign-in:\(provider.clientID):\(provider.issuer)"
    }
}
