import BelfryModel
import BelfryPush

/// The identity provider with which people sign in to the console (CON-3). The operator of the server configures it;
/// there is only one.
package struct SignInProvider: Hashable, Sendable {
    package static let issuerForm =
        "an address such as https://id.example.com, without a query; http:// only on this machine"
    package static let maximumIssuerLength = 255
    package static let maximumNameLength = 60
    /// The path to which a provider sends browsers back. It is registered there, after the server's public address.
    package static let returnPath = "/console/sign-in/provider/return"

    /// The issuer, exactly as the provider's tokens contain it.
    package let issuer: String
    package let clientID: String
    /// The client secret. Nil for a client that the provider knows without one.
    package let clientSecret: String?
    /// The provider's name on the button of the sign-in page.
    package let name: String
    /// The address to which the provider sends browsers back.
    package let returnAddress: String

    let metadataAddress: TokenURI

    /// - Parameters:
    ///   - name: the provider's name. Nil: the issuer's host.
    ///   - publicURL: the origin at which browsers reach the server.
    /// - Throws: for an issuer that does not match ``issuerForm``.
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
    /// The provider without its secret (SEC-3).
    package var description: String { "identity provider \(issuer)" }
}
