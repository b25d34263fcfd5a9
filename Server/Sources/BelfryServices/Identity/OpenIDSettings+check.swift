import BelfryModel
import BelfryPush
import BelfryServerModel
import Foundation

extension OpenIDSettings {
    /// The longest issuer and audience, in characters.
    package static let maximumNameLength = 255
    /// The longest name of a claim, in characters.
    package static let maximumClaimLength = 64
    /// The highest number of keys that can check signatures: a provider has two or three.
    package static let maximumKeys = 20

    /// The settings as they are stored: trimmed, and only with keys that check signatures of an allowed algorithm. A
    /// provider's key set may contain others, for example for encryption. Every error is reported with its field.
    func checked(at field: String, _ report: (FieldError) -> Void) -> OpenIDSettings {
        func text(_ raw: String, _ member: String, _ maximum: Int) -> String {
            let trimmed = raw.trimmingCharacters(in: .whitespacesAndNewlines)
            if !trimmed.isNamed(within: maximum) {
                let error = ValueError(code: "invalidLength", message: "'\(member)' has 1 to \(maximum) characters.")
                report(FieldError(field: "\(field).\(member)", error: error))
            }
            return trimmed
        }
        return OpenIDSettings(
            issuer: text(issuer, "issuer", Self.maximumNameLength),
            audience: text(audience, "audience", Self.maximumNameLength),
            claim: text(claim, "claim", Self.maximumClaimLength),
            jwks: JSONWebKeySet(keys: jwks.usableKeys(at: "\(field).jwks.keys", report))
        )
    }
}

extension JSONWebKeySet {
    fileprivate func usableKeys(at field: String, _ report: (FieldError) -> Void) -> [JSONWebKey] {
        let usable = keys.enumerated().filter { $0.element.signingAlgorithm != nil }
        for (index, key) in keys.enumerated() where !key.secretMembers.isEmpty {
            report(key.errorOfSecrets(at: "\(field)[\(index)]"))
        }
        guard (1...OpenIDSettings.maximumKeys).contains(usable.count) else {
            let message =
                "A key set has 1 to \(OpenIDSettings.maximumKeys) keys that check signatures: RSA for RS256, or EC with "
                + "the curve P-256 for ES256. This one has \(usable.count)."
            report(FieldError(field: field, error: ValueError(code: "keyCount", message: message)))
            return []
        }
        for (index, key) in usable {
            guard let algorithm = key.signingAlgorithm else { continue }
            do {
                _ = try VerificationKey(key, for: algorithm)
            } catch {
                report(FieldError(field: "\(field)[\(index)].\(error.field)", error: error.error))
            }
        }
        return usable.map(\.element)
    }
}

extension JSONWebKey {
    /// The error for a private key. Anybody who has it can act as the provider, so it must not be sent, and it is not
    /// stored.
    fileprivate func errorOfSecrets(at field: String) -> FieldError {
        let members = secretMembers.map { "'\($0)'" }.joined(separator: ", ")
        let message =
            "This key contains \(members): it is private, or a shared secret. Send only public keys, and replace this "
            + "one at the provider."
        return FieldError(field: field, error: ValueError(code: "privateKey", message: message))
    }
}
