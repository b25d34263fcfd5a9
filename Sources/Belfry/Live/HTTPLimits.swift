/// What a connection of ``HTTPTransport`` keeps to.
struct HTTPLimits: Sendable {
    /// Bytes of a response's body.
    let maximumBytes: Int
    /// Bytes of all its headers, and of those of responses before it. Not every libcurl has a limit of its own.
    let maximumHeaderBytes: Int
    /// In seconds, without a byte of the response.
    let idleTimeout: Int
    /// In seconds, from the request to the end of the response.
    let totalTimeout: Int
}

/// Why a request of ``HTTPTransport`` was not sent, or its response was not accepted. Other failures are `URLError`s.
public enum HTTPTransportFailure: Error, Hashable, Sendable {
    /// The address cannot be written as a URL.
    case invalidAddress
    /// The name or the value of a header contains a control character.
    case invalidHeader
    /// The response is not HTTP.
    case notHTTP
    /// The response has more than ``HTTPTransport/maximumResponseBytes``, or headers without end, so it does not come from
    /// a Belfry server.
    case answerTooLarge
}
