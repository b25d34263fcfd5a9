/// Which links an in-app message may open (IAM-12): those of the allowed schemes, but never schemes that carry their
/// own content or reach into the device.
public enum InAppLinks {
    /// The schemes that a message may open by default. An app adds the schemes of its deep links.
    public static let standardSchemes: Set<String> = ["http", "https", "mailto", "sms", "tel"]
    /// Never allowed.
    public static let refusedSchemes: Set<String> = [
        "about", "blob", "data", "file", "filesystem", "javascript", "vbscript", "view-source",
    ]
    /// The maximum length of an address in bytes: browsers do not reliably open longer ones.
    public static let maximumBytes = 2_048

    /// - Parameter schemes: in lower case.
    public static func permits(_ url: String, schemes: Set<String>) -> Bool {
        guard url.utf8.count <= maximumBytes, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return false }
        guard let scheme = scheme(of: url), !refusedSchemes.contains(scheme) else { return false }
        return schemes.contains(scheme) && url.utf8.count > scheme.utf8.count + 1
    }

    /// Whether an address begins with a scheme that is never allowed, even with blanks in between, which some readers
    /// skip.
    public static func refuses(_ url: String) -> Bool {
        let compact = String(decoding: url.utf8.filter { $0 > 0x20 }, as: UTF8.self)
        return scheme(of: compact).map(refusedSchemes.contains) ?? false
    }

    /// In lower case; nil when the text does not begin with a scheme (RFC 3986 §3.1).
    static func scheme(of url: String) -> String? {
        guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let front = url.utf8[..<colon]
        guard let first = front.first, isLetter(first), front.allSatisfy(isSchemeByte) else { return nil }
        return String(decoding: front, as: UTF8.self).lowercased()
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || (0x30...0x39).contains(byte) || "+-.".utf8.contains(byte)
    }
}
