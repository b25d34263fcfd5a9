import BelfryModel

/// The addresses that a message may open or load (CAMP-6, SEC-4).
package enum LinkRule: Hashable, Sendable {
    /// A web address or an app's deep link, but nothing that runs a script or reads a file.
    case link
    /// An `https` address, for content that a device loads by itself.
    case secure

    /// Schemes whose addresses carry their own content or access the device.
    private static let rejectedSchemes: Set<String> = [
        "about", "blob", "data", "file", "filesystem", "javascript", "vbscript", "view-source",
    ]
    /// The longest address in bytes: no browser promises to open a longer one.
    package static let maximumBytes = 2_048

    /// The error of a text that is not such an address. Nil when it is one.
    package func error(of text: String) -> ValueError? {
        guard let scheme = Self.scheme(of: text) else {
            return invalid(self == .link ? "It needs a deep link or web address with a scheme." : needsHTTPS)
        }
        guard !Self.rejectedSchemes.contains(scheme) else {
            return ValueError(code: "schemeNotAllowed", message: "An address cannot begin with '\(scheme):'.")
        }
        guard self == .link || scheme == "https" else { return invalid(needsHTTPS) }
        guard text.utf8.count <= Self.maximumBytes else {
            return invalid("An address has at most \(Self.maximumBytes) bytes.")
        }
        guard Self.isWellFormed(text) else {
            return invalid("An address cannot contain spaces or non-ASCII characters; percent-encode them.")
        }
        let rest = text.utf8.dropFirst(scheme.utf8.count + 1)
        let needsHost = scheme == "https" || scheme == "http"
        guard needsHost ? Self.hasHost(rest) : !rest.isEmpty else { return invalid("The address has no destination.") }
        return nil
    }

    /// The scheme in lower case. Nil when the text does not begin with one (RFC 3986 §3.1).
    static func scheme(of text: String) -> String? {
        let front = text.utf8.prefix { $0 != UInt8(ascii: ":") }
        guard front.count < text.utf8.count, let first = front.first, isLetter(first),
            front.allSatisfy({ isLetter($0) || isDigit($0) || [0x2B, 0x2D, 0x2E].contains($0) })
        else { return nil }
        return String(decoding: front, as: UTF8.self).lowercased()
    }

    /// Whether there is a host between `//` and the path, not only a user or a port.
    private static func hasHost(_ rest: Substring.UTF8View) -> Bool {
        guard rest.starts(with: "//".utf8) else { return false }
        let authority = rest.dropFirst(2).prefix { !"/?#".utf8.contains($0) }
        let host =
            authority.lastIndex(of: UInt8(ascii: "@")).map { authority[authority.index(after: $0)...] } ?? authority
        return host.first.map { $0 != UInt8(ascii: ":") } ?? false
    }

    /// Whether all characters are those of RFC 3986, and each per cent sign has two hexadecimal digits.
    private static func isWellFormed(_ text: String) -> Bool {
        var digitsToCome = 0
        for byte in text.utf8 {
            if digitsToCome > 0 {
                guard byte.isHexDigit else { return false }
                digitsToCome -= 1
            } else if byte == UInt8(ascii: "%") {
                digitsToCome = 2
            } else if !isLetter(byte), !isDigit(byte), !"-._~:/?#[]@!$&'()*+,;=".utf8.contains(byte) {
                return false
            }
        }
        return digitsToCome == 0
    }

    private var needsHTTPS: String { "It needs an address that begins with https://." }

    private func invalid(_ message: String) -> ValueError {
        ValueError(code: "invalidURL", message: message)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
