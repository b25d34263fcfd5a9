import BelfryServices
import Configuration

extension ConfigReader {
    func publicURL() throws -> String? {
        try parsed("publicURL", as: PublicURL.form, PublicURL.init)?.origin
    }

    /// The identity provider by which people sign in to the console (CON-3). It needs the issuer setting: without an
    /// issuer, the provider's other settings are an error.
    func signInProvider() throws -> SignInProvider? {
        let clientID = try parsed("oidcClientID", as: "1 to 255 characters") { Self.text($0, upTo: 255) }
        let name = try parsed("oidcName", as: "1 to \(SignInProvider.maximumNameLength) characters") {
            Self.text($0, upTo: SignInProvider.maximumNameLength)
        }
        let secret = string(forKey: "oidcClientSecret", isSecret: true)
        guard let issuer = string(forKey: "oidcIssuer") else {
            let others = [("oidcClientID", clientID), ("oidcName", name), ("oidcClientSecret", secret)]
            if let other = others.first(where: { $0.1 != nil }) {
                throw ServeConfigurationError.missing(key: "oidcIssuer", beside: other.0)
            }
            return nil
        }
        guard let clientID else { throw ServeConfigurationError.missing(key: "oidcClientID", beside: "oidcIssuer") }
        guard let publicURL = try publicURL() else {
            throw ServeConfigurationError.missing(key: "publicURL", beside: "oidcIssuer")
        }
        return try parsed("oidcIssuer", as: SignInProvider.issuerForm) { _ in
            try? SignInProvider(
                issuer: issuer, clientID: clientID, clientSecret: secret, name: name, publicURL: publicURL
            )
        }
    }

    private static func text(_ text: String, upTo length: Int) -> String? {
        let letters = text.unicodeScalars
        guard (1...length).contains(letters.count), letters.allSatisfy({ $0.value >= 32 }) else { return nil }
        return text
    }
}
