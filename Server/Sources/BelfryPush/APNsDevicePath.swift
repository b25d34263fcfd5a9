/// The `:path` of a request for one device token.
enum APNsDevicePath {
    /// Characters. Apple's tokens are 64 hexadecimal digits today, and Apple asks not to rely on it.
    static let maximumTokenLength = 512

    /// Nil when the token is too long to be one. Whatever else a device may have sent as its token is
    /// percent-encoded: it breaks no request, and APNs judges it.
    static func path(for token: String) -> String? {
        guard (1...maximumTokenLength).contains(token.utf8.count) else { return nil }
        guard !isPlain(token) else { return prefix + token }
        var path = Array(prefix.utf8)
        for byte in token.utf8 {
            if byte.isASCIIAlphanumeric {
                path.append(byte)
            } else {
                let (high, low) = byte.hexDigits
                path.append(contentsOf: [UInt8(ascii: "%"), high, low])
            }
        }
        return String(decoding: path, as: UTF8.self)
    }

    /// Of its bytes as they lie there: a campaign looks at the token of each recipient.
    private static func isPlain(_ token: String) -> Bool {
        var token = token
        return token.withUTF8 { bytes in bytes.allSatisfy { $0.isASCIIAlphanumeric } }
    }

    private static let prefix = "/3/device/"
}
