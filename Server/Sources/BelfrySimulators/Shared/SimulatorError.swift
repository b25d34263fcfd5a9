/// The reason why a simulator did not do what was requested.
public struct SimulatorError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of error; stable across releases.
    public enum Code: String, Sendable, Codable {
        /// A value is outside the allowed range; nothing changed.
        case invalidValue
        /// This simulator issued no such device token.
        case unknownToken
        /// A named limit is reached; nothing changed.
        case limitReached
        /// The simulator was started before, or is stopped.
        case notStartable
        /// The simulator does not listen, so it has no address yet.
        case notRunning
    }

    /// The kind of error.
    public let code: Code
    /// The field or parameter with the error.
    public let field: String
    /// What happened and what is allowed, in a sentence.
    public let message: String

    /// An error in `field`; `message` says what is allowed.
    public init(_ code: Code, field: String, _ message: String) {
        self.code = code
        self.field = field
        self.message = message
    }

    public var description: String { "\(field): \(message)" }
}
