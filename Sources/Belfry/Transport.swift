import Foundation

/// A request of the device API.
public struct TransportRequest: Hashable, Sendable {
    /// The method: `GET`, `POST`, `PUT` or `DELETE`.
    public let method: String
    /// The path with the query: `/v3/apps/shop/client/contact?anonymous=true`.
    public let path: String
    /// The headers: name → value.
    public let headers: [String: String]
    /// The body, JSON in UTF-8; nil when there is none.
    public let body: Data?

    /// Creates a request for a transport to send.
    public init(method: String, path: String, headers: [String: String], body: Data?) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
    }
}

/// The response to a request, with any status.
public struct TransportResponse: Hashable, Sendable {
    /// The HTTP status.
    public let status: Int
    /// The headers: name in lower case → value.
    public let headers: [String: String]
    /// The body; empty when there is none.
    public let body: Data

    /// - Parameter headers: names in any case.
    public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        self.headers = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { $1 })
        self.body = body
    }

    /// The value of a header, named in any case.
    public func header(_ name: String) -> String? {
        headers[name.lowercased()]
    }
}

/// Sends requests to the server. In an app it is ``HTTPTransport``.
public protocol Transport: Sendable {
    /// Sends one request.
    ///
    /// - Returns: the response, with any status.
    /// - Throws: any error when there is no response.
    func send(_ request: TransportRequest) async throws -> TransportResponse
}
