import BelfryModel
import BelfryPush

/// An operator's credentials for one push service, in the form that is encrypted (SEC-1).
package protocol ProviderSecret: Hashable, Sendable, Codable {
    /// The credentials for sending.
    associatedtype Credentials: Sendable
    /// The part that may be shown: no secrets.
    associatedtype Facts: Hashable, Sendable

    static var provider: PushProvider { get }

    /// The errors of all invalid fields.
    var errors: [FieldError] { get }
    /// The hosts to which the server would connect.
    var hosts: [NamedHost] { get }
    /// The credentials for sending. Throws the error of the first invalid field.
    func parsed() throws(FieldError) -> Credentials

    static func facts(of credentials: Credentials) -> Facts
    /// Whether push tokens that are valid for one are valid for the other (REG-35).
    static func reachTheSameDevices(_ one: Credentials, _ other: Credentials) -> Bool
}

/// A host, and the field that contains it.
package struct NamedHost: Hashable, Sendable {
    package let field: String
    package let host: String
}
