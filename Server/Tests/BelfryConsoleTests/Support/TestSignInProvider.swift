import BelfryModel
import BelfryPush
import BelfryServices
import Crypto
import Foundation
import Synchronization

@testable import BelfryConsole

/// An identity provider of the tests' own (OpenID Connect Core 1.0), which keeps to the rules, or breaks one of them.
final class TestSignInProvider: ProviderTransport {
    static let issuer = "https://id.example.com/realm"
    static let clientID = "belfry console"
    static let clientSecret = "a secret: of the client"
    static let publicURL = "https://belfry.example.com"

    /// What it does wrong.
    enum Fault: String, Hashable, Sendable, CaseIterable {
        case wrongNonce, noNonce, wrongIssuer, wrongAudience, severalAudiences, otherParty, expired, noExpiry
        case fromTheFuture, otherKey, unknownKey, algorithmNone, sharedSecret, brokenSignature, noSubject, longSubject
        case noToken, rejectsCode, notJSON, unreachable, slow, endless, brokenKeys, noKeys
        case metadataOfAnother, insecureMetadata, loopbackMetadata, brokenMetadata, noMetadata
    }

    private struct Grant: Sendable {
        let nonce: String
        let challenge: String
        let claims: [String: String]
    }

    private struct State: Sendable {
        var faults: Set<Fault> = []
        var takesBasic = true
        var grants: [String: Grant] = [:]
        var calls: [String] = []
        /// Whether it names itself in its answers (RFC 9207).
        var namesItself = false
    }

    private let state = Mutex(State())
    private let now: @Sendable () -> Date

    init(now: @escaping @Sendable () -> Date) {
        self.now = now
    }

    func settings() throws -> SignInProvider {
        try SignInProvider(
            issuer: Self.issuer, clientID: Self.clientID, clientSecret: Self.clientSecret, name: "Example",
            publicURL: Self.publicURL
        )
    }

    func set(_ faults: Fault...) { state.withLock { $0.faults = Set(faults) } }
    func takeSecretsInForms() { state.withLock { $0.takesBasic = false } }
    func nameItself() { state.withLock { $0.namesItself = true } }
    /// The paths that were called, with what was posted to them.
    var calls: [String] { state.withLock { $0.calls } }

    /// Somebody signs in at the address to which a browser was sent.
    ///
    /// - Parameter claims: what the provider says of them, as JSON.
    /// - Returns: the address to which their browser is sent back: path and query.
    func signIn(_ address: String, as claims: [String: String] = ["sub": #""ann""#]) throws -> String {
        let query = try parameters(of: address)
        let code = "code-\(state.withLock { $0.grants.count })"
        let grant = Grant(nonce: query["nonce"], challenge: query["code_challenge"], claims: claims)
        let issuer = state.withLock { state in
            state.grants[code] = grant
            return state.namesItself ? "&iss=\(WireURL.encoded(Self.issuer))" : ""
        }
        return "/console/sign-in/provider/return?code=\(code)&state=\(WireURL.encoded(query["state"]))\(issuer)"
    }

    /// The query of an address at which people sign in; throws when it is another one.
    func parameters(of address: String) throws -> FormFields {
        let start = "\(Self.issuer)/authorize?prompt=none&"
        guard address.utf8.starts(with: start.utf8), let query = FormFields(address.utf8.dropFirst(start.utf8.count))
        else { throw Unexpected(what: address) }
        let wanted = [
            "response_type": "code", "client_id": Self.clientID, "code_challenge_method": "S256",
            "redirect_uri": "\(Self.publicURL)/console/sign-in/provider/return", "scope": "openid profile email",
        ]
        for (name, value) in wanted where query[name] != value { throw Unexpected(what: "\(name)=\(query[name])") }
        return query
    }

    struct Unexpected: Error {
        let what: String
    }

    func send(_ request: ProviderRequest) async throws -> (status: Int, body: [UInt8]) {
        let path = request.address.path
        let (faults, takesBasic) = state.withLock { state in
            state.calls.append(path)
            return (state.faults, state.takesBasic)
        }
        if faults.contains(.unreachable) { throw AccessTokenExchangeError.noConnection }
        if faults.contains(.slow) { throw AccessTokenExchangeError.timeout }
        if faults.contains(.endless) { throw AccessTokenExchangeError.responseTooLong }
        switch path {
        case "/realm/.well-known/openid-configuration": return metadata(faults, takesBasic: takesBasic)
        case "/realm/keys":
            if faults.contains(.noKeys) { return (200, Array(#"{"keys":[]}"#.utf8)) }
            if faults.contains(.brokenKeys) { return (200, Array("keys".utf8)) }
            return (200, Array(#"{"keys":[\#(publicKey)]}"#.utf8))
        case "/realm/token": return try token(request, faults, takesBasic: takesBasic)
        default: return (404, [])
        }
    }

    private func metadata(_ faults: Set<Fault>, takesBasic: Bool) -> (status: Int, body: [UInt8]) {
        if faults.contains(.noMetadata) { return (503, []) }
        if faults.contains(.brokenMetadata) { return (200, Array("{}".utf8)) }
        let issuer = faults.contains(.metadataOfAnother) ? "https://id.example.com/other" : Self.issuer
        // In the second case what people see is right, and the server's own calls go to a port of its machine.
        let base = faults.contains(.insecureMetadata) ? "http://id.example.com/realm" : Self.issuer
        let called = faults.contains(.loopbackMetadata) ? "http://127.0.0.1:6379/realm" : base
        let method = takesBasic ? "client_secret_basic" : "client_secret_post"
        let names = state.withLock { $0.namesItself }
        let text = """
            {"issuer":"\(issuer)","authorization_endpoint":"\(base)/authorize?prompt=none",\
            "token_endpoint":"\(called)/token","jwks_uri":"\(called)/keys",\
            "token_endpoint_auth_methods_supported":["\(method)"],\
            "authorization_response_iss_parameter_supported":\(names)}
            """
        return (200, Array(text.utf8))
    }

    private func token(
        _ request: ProviderRequest, _ faults: Set<Fault>, takesBasic: Bool
    ) throws -> (status: Int, body: [UInt8]) {
        guard let form = request.form.flatMap({ FormFields($0) }) else { return (400, []) }
        let pair = "\(WireURL.encoded(Self.clientID)):\(WireURL.encoded(Self.clientSecret))"
        let basic = "Basic \(Data(pair.utf8).base64EncodedString())"
        let isKnown =
            takesBasic
            ? request.authorization == basic
            : request.authorization == nil && form["client_id"] == Self.clientID
                && form["client_secret"] == Self.clientSecret
        let challenge = Base64URL.encode(Array(SHA256.hash(data: Data(form["code_verifier"].utf8))))
        // A code is good for once.
        let grant = state.withLock { $0.grants.removeValue(forKey: form["code"]) }
        guard isKnown, let grant, grant.challenge == challenge, form["grant_type"] == "authorization_code",
            form["redirect_uri"] == "\(Self.publicURL)/console/sign-in/provider/return",
            !faults.contains(.rejectsCode)
        else { return (400, Array(#"{"error":"invalid_grant"}"#.utf8)) }
        if faults.contains(.notJSON) { return (200, Array("<html>".utf8)) }
        if faults.contains(.noToken) { return (200, Array(#"{"access_token":"x"}"#.utf8)) }
        return (200, Array(#"{"access_token":"x","id_token":"\#(try token(grant, faults))"}"#.utf8))
    }
}

extension TestSignInProvider {
    private static let key = Result { try P256.Signing.PrivateKey(rawRepresentation: Data(1...32)) }
    private static let otherKey = Result { try P256.Signing.PrivateKey(rawRepresentation: Data(2...33)) }

    private var publicKey: String {
        guard let point = try? Self.key.get().publicKey.rawRepresentation else { return "" }
        return """
            {"kty":"EC","crv":"P-256","kid":"k1","use":"sig","x":"\(Base64URL.encode(point.prefix(32)))",\
            "y":"\(Base64URL.encode(point.suffix(32)))"}
            """
    }

    private func claims(_ grant: Grant, _ faults: Set<Fault>) -> [String: String] {
        let seconds = Int(now().timeIntervalSince1970)
        var claims = [
            "iss": "\"\(Self.issuer)\"", "aud": "\"\(Self.clientID)\"", "iat": "\(seconds)", "exp": "\(seconds + 300)",
            "nonce": "\"\(grant.nonce)\"",
        ].merging(grant.claims) { $1 }
        for fault in faults {
            switch fault {
            case .wrongNonce: claims["nonce"] = #""another""#
            case .noNonce: claims["nonce"] = nil
            case .wrongIssuer: claims["iss"] = #""https://id.example.com""#
            case .wrongAudience: claims["aud"] = #""another""#
            case .severalAudiences: claims["aud"] = #"["\#(Self.clientID)","another"]"#
            case .otherParty: claims["azp"] = #""another""#
            case .expired: claims["exp"] = "\(seconds - 300)"
            case .noExpiry: claims["exp"] = nil
            case .fromTheFuture: claims["iat"] = "\(seconds + 300)"
            case .noSubject: claims["sub"] = nil
            case .longSubject: claims["sub"] = "\"\(String(repeating: "a", count: 256))\""
            default: break
            }
        }
        return claims
    }

    private func token(_ grant: Grant, _ faults: Set<Fault>) throws -> String {
        let algorithm = faults.contains(.algorithmNone) ? "none" : faults.contains(.sharedSecret) ? "HS256" : "ES256"
        let header = #"{"alg":"\#(algorithm)","kid":"\#(faults.contains(.unknownKey) ? "k2" : "k1")"}"#
        let members = claims(grant, faults).map { "\"\($0.key)\":\($0.value)" }.sorted().joined(separator: ",")
        let signed = "\(Base64URL.encode(header.utf8)).\(Base64URL.encode("{\(members)}".utf8))"
        if faults.contains(.algorithmNone) { return "\(signed)." }
        if faults.contains(.sharedSecret) {
            let secret = SymmetricKey(data: Data(Self.clientSecret.utf8))
            let mac = HMAC<SHA256>.authenticationCode(for: Data(signed.utf8), using: secret)
            return "\(signed).\(Base64URL.encode(Array(mac)))"
        }
        let key = try (faults.contains(.otherKey) ? Self.otherKey : Self.key).get()
        var signature = Array(try key.signature(for: Data(signed.utf8)).rawRepresentation)
        if faults.contains(.brokenSignature) { signature[7] ^= 1 }
        return "\(signed).\(Base64URL.encode(signature))"
    }
}
