/// What a connection of ``HTTPTransport`` keeps to.
struct HTTPLimits: Sendable {
    /// Bytes of a response's body.
    let maximumBytes: Int
    /// In seconds, without a byte of the response.
    let idleTimeout: Int
    /// In seconds, from the request to the end of the response.
    let totalTimeout: Int
}
