import BelfryModel
import BelfryPush

/// What a provider says of itself (OpenID Connect Discovery 1.0 §3), as far as a sign-in needs it.
struct ProviderMetadata: Hashable, Sendable {
    static let maximumBytes = 65_536

    /// Where browsers go to sign in.
    let authorization: TokenURI
    /// Where a code is changed into a token.
    let token: TokenURI
    /// Where its keys are.
    let keys: TokenURI
    /// Whether a secret goes into the header of a request (`client_secret_basic`); otherwise into its form.
    let takesBasic: Bool
    /// Whether its answers name it (RFC 9207 §2.3).
    let namesItself: Bool

    private struct Document: Decodable {
        var issuer: String
        var authorization_endpoint: String
        var token_endpoint: String
        var jwks_uri: String
        var token_endpoint_auth_methods_supported: [String]?
        var authorization_response_iss_parameter_supported: Bool?
    }

    /// - Parameter issuer: whom the document has to be of, letter by letter (§4.3).
    init(_ bytes: [UInt8], issuer: String) throws(ProviderError) {
        guard let document = try? CheckedJSON.decode(Document.self, from: bytes, maximumBytes: Self.maximumBytes)
        else { throw .badMetadata }
        guard document.issuer.utf8.elementsEqual(issuer.utf8) else { throw .wrongIssuer }
        guard let authorization = try? TokenURI(document.authorization_endpoint),
            let token = try? TokenURI(document.token_endpoint), let keys = try? TokenURI(document.jwks_uri)
        else { throw .badMetadata }
        // A provider elsewhere does not send this server's calls, or browsers, to what listens on their own machines
        // (SEC-5). TLS of the issuer proves no service without it.
        let endpoints = [authorization, token, keys]
        guard (try? TokenURI(issuer))?.isSecure == false || endpoints.allSatisfy(\.isSecure) else { throw .badMetadata }
        self.authorization = authorization
        self.token = token
        self.keys = keys
        // Without the member it is so (§3).
        takesBasic = document.token_endpoint_auth_methods_supported?.contains("client_secret_basic") ?? true
        namesItself = document.authorization_response_iss_parameter_supported ?? false
    }
}
