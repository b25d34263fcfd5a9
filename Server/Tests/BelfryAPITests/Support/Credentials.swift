import BelfryServerTestSupport
import Crypto
import Foundation
import Hummingbird
import Testing

/// Credentials that are well formed; the P-256 key is made from the bytes 1 to 32 and signs nothing else.
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

    /// The body of `PUT …/credentials/fcm`, with the service account as an object.
    ///
    /// - Parameter changes: of the service account; a nil leaves a field out.
    package static func fcm(_ changes: [String: String?] = [:], others: String = "") -> String {
        #"{"serviceAccount":\#(ServiceAccountFile.json(changes))\#(others)}"#
    }

    /// The body of `PUT …/credentials/webpush`.
    package static func webPush(_ changes: [String: String?] = [:]) throws -> String {
        var fields: [String: String?] = ["subject": "mailto:ops@example.com", "privateKey": try privateKey()]
        fields.merge(changes) { $1 }
        return String(decoding: try JSONEncoder().encode(fields.compactMapValues(\.self)), as: UTF8.self)
    }

    /// The subscription object of a browser; its key is made from the bytes 1 to 32.
    package static func subscription(_ endpoint: String = "https://push.example.com/send/1") throws -> String {
        let key = try P256.KeyAgreement.PrivateKey(rawRepresentation: Data(1...32)).publicKey.x963Representation
        let secret = Data(repeating: 7, count: 16).base64EncodedString()
        return #"{"endpoint":"\#(endpoint)","keys":{"p256dh":"\#(key.base64EncodedString())","auth":"\#(secret)"}}"#
    }

    /// Gives an app credentials for every push service.
    package static func putAll(on server: TestServer, app: String = "shop") async throws {
        let bodies = ["apns": try body(), "fcm": fcm(), "webpush": try webPush()]
        for (service, body) in bodies {
            let response = try await server.admin(.put, "/apps/\(app)/credentials/\(service)", body)
            #expect(response.status == .ok, "\(response.text)")
        }
    }
}
