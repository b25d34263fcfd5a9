@testable import BelfryPush
@testable import BelfryServices

/// Sessions and sign-in attempts that browsers present to the console, and the metadata of an identity provider. Only
/// sessions and attempts that this server has made are valid.
enum SignInTarget {
    private static let provider = try? SignInProvider(
        issuer: "https://id.example.com", clientID: "belfry", clientSecret: nil, name: nil,
        publicURL: "https://belfry.example.com"
    )

    static func run(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        try expect(!SessionToken.isGenuine(text, key: Fixtures.keys.session), "a session that nobody began: \(text)")
        if let provider {
            let attempt = SignInAttempt(sealed: text, keys: Fixtures.keys, provider: provider, now: Fixtures.now)
            try expect(attempt == nil, "an attempt that nobody made: \(text)")
        }
        if let name = try? UserName(text) {
            try expect((try? UserName(name.text)) == name, "a name reads back as itself: \(name)")
            try expect(
                (1...UserName.maximumLength).contains(name.text.utf8.count)
                    && name.text.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a name is short, and visible ASCII"
            )
        }
        _ = try? PasswordRule.check(text)
        _ = try? SignInProvider(
            issuer: text, clientID: "belfry", clientSecret: nil, name: nil, publicURL: "https://belfry.example.com"
        )
        try metadata(bytes)
    }

    private static func metadata(_ bytes: [UInt8]) throws {
        for issuer in ["https://id.example.com", "http://127.0.0.1:9000"] {
            guard let metadata = try? ProviderMetadata(bytes, issuer: issuer) else { continue }
            let endpoints = [metadata.authorization, metadata.token, metadata.keys]
            try expect(
                issuer.utf8.starts(with: "http://".utf8) || endpoints.allSatisfy(\.isSecure),
                "a provider elsewhere leads to what listens here"
            )
            for endpoint in endpoints {
                try expect(
                    endpoint.url.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a header can hold it: \(endpoint)")
            }
        }
    }
}
