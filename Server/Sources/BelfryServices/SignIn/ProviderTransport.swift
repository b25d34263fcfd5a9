import BelfryPush

/// A call to an identity provider.
package struct ProviderRequest: Hashable, Sendable {
    package let address: TokenURI
    /// What is posted as a form; nil: the address is read.
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
    /// Without the code, the verifier and the secret (SEC-3).
    package var description: String { "\(form == nil ? "GET" : "POST") \(address)" }
}

/// Calls the identity provider of the console (CON-3).
package protocol ProviderTransport: Sendable {
    /// One call without redirects, whole within seconds and within a length. Every status is returned, none is an error.
    ///
    /// - Throws: ``AccessTokenExchangeError``, or `CancellationError`.
    func send(_ request: ProviderRequest) async throws -> (status: Int, body: [UInt8])
}
