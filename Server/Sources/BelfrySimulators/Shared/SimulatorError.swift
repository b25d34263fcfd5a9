/// Why a simulator did not do what its user asked.
public struct SimulatorError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What kind of mistake it is; stable across releases.
    public enum Code: String, Sendable, Codable {
        /// A value is outside what is allowed; nothing changed.
        case invalidValue
        /// No such device token was issued by this simulator.
        case unknownToken
        /// A named limit is reached; nothing changed.
        case limitReached
        /// The simulator was started before, or is stopped.
        case notStartable
        /// The simulator does not listen, so it has no address yet.
        case notRunning
    }

    /// What kind of mistake it is.
    public let code: Code
    /// The field or parameter that is at fault.
    public let field: String
    /// What happened and what is allowed, in a sentence.
    public let message: String

    /// A mistake in `field`; `message` says what is allowed.
    public init(_ code: Code, field: String, _ message: String) {
        self.code = code
        self.field = field
        self.message = message
    }

    public var description: String { "\(field): \(message)" }
}
