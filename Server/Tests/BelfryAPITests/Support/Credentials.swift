import Crypto
import Foundation

/// APNs credentials that are well formed; the key is made from the bytes 1 to 32 and signs nothing else.
package enum Credentials {
    package static func privateKey() throws -> String {
        try P256.Signing.PrivateKey(rawRepresentation: Data(1...32)).pemRepresentation
    }

    /// The body of `PUT …/credentials/apns`; a nil leaves a field out.
    package static func body(_ changes: [String: String?] = [:]) throws -> String {
        var fields: [String: String?] = [
            "teamId": "TEAM123456", "keyId": "KEY1234567", "topic": "com.example.app", "privateKey": try privateKey(),
        ]
        fields.merge(changes) { $1 }
        return String(decoding: try JSONEncoder().encode(fields.compactMapValues(\.self)), as: UTF8.self)
    }
}
