/// A request as it comes in, piece by piece.
protocol IncomingMessage: Sendable {
    init()
    /// How many bytes the body had so far, kept or not.
    var bodyLength: Int { get }
    /// Takes one field; `name` is in lower case, `:method` and `:path` are among them.
    mutating func take(_ name: String, _ value: String)
    mutating func append(_ bytes: some Collection<UInt8>)
}
