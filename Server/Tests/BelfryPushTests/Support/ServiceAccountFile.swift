import CryptoExtras
import Foundation

/// A service account's file as Google gives it out, with a key made for this run.
struct ServiceAccountFile {
    static let key: _RSA.Signing.PrivateKey? = try? _RSA.Signing.PrivateKey(keySize: .bits2048)

    var fields: [String: Any] = [
        "type": "service_account",
        "project_id": "demo-project-1",
        "private_key_id": "0123456789abcdef0123456789abcdef01234567",
        "private_key": key?.pkcs8PEMRepresentation ?? "",
        "client_email": "push@demo-project-1.iam.gserviceaccount.com",
        "client_id": "1234567890",
        "auth_uri": "https://accounts.google.com/o/oauth2/auth",
        "token_uri": "https://oauth2.googleapis.com/token",
        "universe_domain": "googleapis.com",
        "a_number": 7,
    ]

    /// Nil takes the field away.
    func with(_ name: String, _ value: Any?) -> ServiceAccountFile {
        var file = self
        file.fields[name] = value
        return file
    }

    var json: String {
        get throws { String(decoding: try JSONSerialization.data(withJSONObject: fields), as: UTF8.self) }
    }
}
