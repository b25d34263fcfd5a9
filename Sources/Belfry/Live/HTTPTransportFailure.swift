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
