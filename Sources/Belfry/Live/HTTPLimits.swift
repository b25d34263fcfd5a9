/// The limits of a connection of ``HTTPTransport``.
struct HTTPLimits: Sendable {
    /// The maximum size of a response's body in bytes.
    let maximumBytes: Int
    /// The maximum size in bytes of the headers of a response and of the interim responses before it. Not every libcurl
    /// has its own limit.
    let maximumHeaderBytes: Int
    /// The maximum time without a received byte, in seconds.
    let idleTimeout: Int
    /// The maximum time from the request to the end of the response, in seconds.
    let totalTimeout: Int
}

/// The reason why a request of ``HTTPTransport`` was not sent, or its response was not accepted. Other failures are
/// `URLError`s.
public enum HTTPTransportFailure: Error, Hashable, Sendable {
    /// The address cannot be written as a URL.
    case invalidAddress
    /// The name or the value of a header contains a control character.
    case invalidHeader
    /// The response is not HTTP.
    case notHTTP
    /// The response has more than ``HTTPTransport/maximumResponseBytes``, or too many headers, so it does not come from
    /// a Belfry server.
    case responseTooLarge
}
