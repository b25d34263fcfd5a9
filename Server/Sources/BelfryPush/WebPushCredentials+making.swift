import Crypto

extension WebPushCredentials {
    /// A new private key, as PEM (PKCS#8).
    ///
    /// - Parameter randomBytes: gives so many secure bytes, drawn anew each time.
    package static func makePrivateKey(randomBytes: (_ count: Int) -> [UInt8]) -> String {
        // Of all numbers of 32 bytes, one in four thousand million is no key.
        while true {
            guard let key = try? P256.Signing.PrivateKey(rawRepresentation: randomBytes(32)) else { continue }
            return key.pemRepresentation
        }
    }
}
