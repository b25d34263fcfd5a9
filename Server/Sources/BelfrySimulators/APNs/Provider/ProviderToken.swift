import Foundation

/// A provider authentication token (JWT) whose signature is good. It may still be too old.
struct ProviderToken: Sendable, Equatable {
    var teamID: String
    var keyID: String
    var issuedAt: Date
    /// Topics that the key may push to; nil: all.
    var topics: Set<String>?
    /// Environments that the key may push to.
    var environments: Set<APNsSimulator.Environment>
}
