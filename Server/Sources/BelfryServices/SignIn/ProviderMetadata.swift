import BelfryModel
import BelfryPush

/// The part of a provider's metadata that a sign-in needs (OpenID Connect Discovery 1.0 §3).
struct ProviderMetadata: Hashable, Sendable {
    static let maximumBytes = 65_536

    /// The address at which browsers sign in.
    let authorization: TokenURI
    /// The address at which a code is exchanged for a token.
    let token: TokenURI
    /// The address of the provider's keys.
    let keys: TokenURI
    /// Whether a secret is sent in the request's header (`client_secret_basic`); otherwise in its form.
    let takesBasic: Bool
    /// Whether the provider's responses name it as the issuer (RFC 9207 §2.3).
    let namesItself: Bool

    private struct Document: Decodable {
        var issuer: String
        var authorization_endpoint: String
        var token_endpoint: String
        var jwks_uri: String
        var token_endpoint_auth_methods_supported: [String]?
        var authorization_response_iss_parameter_supported: Bool?
    }

    /// - Parameter issuer: the issuer that the document must name, byte for byte (§4.3).
    init(_ bytes: [UInt8], issuer: String) throws(ProviderError) {
        guard let document = try? CheckedJSON.decode(Document.self, from: bytes, maximumBytes: Self.maximumBytes)
        else { throw .badMetadata }
        guard document.issuer.utf8.elementsEqual(issuer.utf8) else { throw .wrongIssuer }
        guard let authorization = try? TokenURI(document.authorization_endpoint),
            let token = try? TokenURI(document.token_endpoint), let keys = try? TokenURI(document.jwks_uri)
        else { throw .badMetadata }
        // A provider on another machine must not direct this server's calls, or browsers, to services on their own
        // machines (SEC-5). Without TLS an endpoint is not proven to be the provider's.
        let endpoints = [authorization, token, keys]
        guard (try? TokenURI(issuer))?.isSecure == false || endpoints.allSatisfy(\.isSecure) else { throw .badMetadata }
        self.authorization = authorization
        self.token = token
        self.keys = keys
        // This is the default without the member (§3).
        takesBasic = document.token_endpoint_auth_methods_supported?.contains("client_secret_basic") ?? true
        namesItself = document.authorization_response_iss_parameter_supported ?? false
    }
}
