import BelfryServerTestSupport
import CryptoExtras
import Foundation
import Testing

extension ServiceAccountFile {
    static var key: _RSA.Signing.PrivateKey {
        get throws { try _RSA.Signing.PrivateKey(pemRepresentation: privateKey) }
    }

    /// The file with any value in one field, be it a text or not; nil leaves the field out.
    static func json(_ name: String, _ value: Any?) throws -> String {
        let object = try JSONSerialization.jsonObject(with: Data(json().utf8))
        var fields = try #require(object as? [String: Any])
        fields[name] = value
        return String(decoding: try JSONSerialization.data(withJSONObject: fields), as: UTF8.self)
    }
}
