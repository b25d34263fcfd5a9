import BelfryModel
import BelfryPush

/// What an operator PUT for one push service, in the shape that is sealed (SEC-1).
package protocol ProviderSecret: Hashable, Sendable, Codable {
    /// What is sent with.
    associatedtype Credentials: Sendable
    /// What may be shown of it: no secret.
    associatedtype Facts: Hashable, Sendable

    static var provider: PushProvider { get }

    /// Every field that is wrong.
    var errors: [FieldError] { get }
    /// The hosts that it has the server speak to.
    var hosts: [NamedHost] { get }
    /// Throws the refusal of the first field that is wrong.
    func parsed() throws(FieldError) -> Credentials

    static func facts(of credentials: Credentials) -> Facts
    /// Whether a token that is good for the one is good for the other (REG-35).
    static func reachTheSameDevices(_ one: Credentials, _ other: Credentials) -> Bool
}

/// A host, and the field that names it.
package struct NamedHost: Hashable, Sendable {
    package let field: String
    package let host: String
}
