import BelfryModel
import BelfryPush

/// The identity provider by which people sign in to the console (CON-3), as the operator of the server sets it. There is
/// one, and nobody but the operator chooses it.
package struct SignInProvider: Hashable, Sendable {
    package static let issuerForm =
        "an address such as https://id.example.com, without a query; http:// only on this machine"
    package static let maximumIssuerLength = 255
    package static let maximumNameLength = 60
    /// The path that a provider sends browsers back to; it is registered there behind the server's public address.
    package static let returnPath = "/console/sign-in/provider/return"

    /// Exactly as the provider writes it into its tokens.
    package let issuer: String
    package let clientID: String
    /// Nil for a client that the provider knows without one.
    package let clientSecret: String?
    /// What the button on the sign-in page calls it.
    package let name: String
    /// Where the provider sends browsers back to.
    package let returnAddress: String

    let metadataAddress: TokenURI

    /// - Parameters:
    ///   - name: nil: the issuer's host.
    ///   - publicURL: the origin under which browsers reach the server.
    /// - Throws: for an issuer that is no ``issuerForm``.
    package init(
        issuer: String, clientID: String, clientSecret: String?, name: String?, publicURL: String
    ) throws(ValueError) {
        let slash = UInt8(ascii: "/")
        guard issuer.utf8.count <= Self.maximumIssuerLength, !issuer.utf8.contains(UInt8(ascii: "?")) else {
            throw ValueError(code: "invalidIssuer", message: "An issuer is \(Self.issuerForm).")
        }
        let base = issuer.utf8.last == slash ? String(Substring(issuer.utf8.dropLast())) : issuer
        let metadataAddress = try TokenURI(base + "/.well-known/openid-configuration")
        self.issuer = issuer
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.name = name ?? metadataAddress.host
        self.metadataAddress = metadataAddress
        returnAddress = publicURL + Self.returnPath
    }
}

extension SignInProvider: CustomStringConvertible {
    /// Without the secret (SEC-3).
    package var description: String { "identity provider \(issuer)" }
}
