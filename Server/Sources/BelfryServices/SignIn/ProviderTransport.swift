import BelfryPush

/// A call to an identity provider.
package struct ProviderRequest: Hashable, Sendable {
    package let address: TokenURI
    /// The form to post. Nil: a GET.
    package let form: [UInt8]?
    /// The value of the header field `Authorization`.
    package let authorization: String?

    package init(reading address: TokenURI) {
        self.init(address: address, form: nil, authorization: nil)
    }

    package init(address: TokenURI, form: [UInt8]?, authorization: String?) {
        self.address = address
        self.form = form
        self.authorization = authorization
    }
}

extension ProviderRequest: CustomStringConvertible {
    /// The request without the code, the verifier and the secret (SEC-3).
    package var description: String { "\(form == nil ? "GET" : "POST") \(address)" }
}

/// A transport that calls the identity provider of the console (CON-3).
package protocol ProviderTransport: Sendable {
    /// Makes one call without redirects, within a few seconds and a maximum length. It returns every status; none is an
    /// error.
    ///
    /// - Throws: ``AccessTokenExchangeError``, or `CancellationError`.
    func send(_ request: ProviderRequest) async throws -> (status: Int, body: [UInt8])
}
