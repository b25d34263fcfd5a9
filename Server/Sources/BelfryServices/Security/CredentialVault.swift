import BelfryModel
import Foundation

/// Encrypts provider credentials for the store, and decrypts them (SEC-1).
package struct CredentialVault: Sendable {
    let keys: ServerKeys

    package init(keys: ServerKeys) {
        self.keys = keys
    }

    func seal<Secret: ProviderSecret>(_ secret: Secret, app: Int64) throws -> [UInt8] {
        try keys.seal(Array(JSONEncoder().encode(secret)), context: Self.context(Secret.provider, app))
    }

    /// Decrypts credentials. Throws if they were encrypted with another key, or for another app or service.
    package func open<Secret: ProviderSecret>(
        _ type: Secret.Type, _ sealed: [UInt8], app: Int64
    ) throws -> Secret.Credentials {
        let plain = try keys.open(sealed, context: Self.context(Secret.provider, app))
        return try CheckedJSON.decode(Secret.self, from: plain).parsed()
    }

    /// Identifies the row for which the credentials are encrypted.
    private static func context(_ provider: PushProvider, _ app: Int64) -> String {
        "\(provider.rawValue):\(app)"
    }
}
