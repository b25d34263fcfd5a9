/// One `POST` of a form that asks for an access token.
package struct AccessTokenRequest: Sendable {
    package static let contentType = "application/x-www-form-urlencoded"

    package let uri: TokenURI
    /// The form; it holds the signed assertion, which is a secret for an hour.
    package let body: [UInt8]

    /// - Parameter assertion: a JSON Web Token, whose letters a form takes as they are.
    init(uri: TokenURI, assertion: String) {
        self.uri = uri
        body = Array("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)".utf8)
    }
}

extension AccessTokenRequest: CustomStringConvertible {
    /// Without the assertion (SEC-3).
    package var description: String { "access token request to \(uri)" }
}
