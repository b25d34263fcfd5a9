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
