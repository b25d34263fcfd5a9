import BelfryModel

/// An absolute web address without user and fragment, split into the parts that a request needs.
struct WebAddress: Hashable, Sendable {
    /// The maximum length in bytes.
    static let maximumLength = 4_096

    let isSecure: Bool
    /// A name, an IPv4 address, or an IPv6 address without its brackets; in lower case.
    let host: String
    let port: Int
    /// Path and query; at least `/`.
    let path: String
    /// Scheme and authority as they were written.
    let origin: String

    init(_ raw: String) throws(ValueError) {
        guard raw.utf8.count <= Self.maximumLength else {
            throw ValueError(code: "tooLong", message: "A web address has at most \(Self.maximumLength) bytes.")
        }
        guard let end = raw.utf8.firstRange(of: "://".utf8)?.upperBound,
            let isSecure = ["https://": true, "http://": false][raw[..<end].lowercased()]
        else {
            throw Self.valueError("It does not begin with 'https://'.")
        }
        let pathStart = raw[end...].utf8.firstIndex { "/?#".utf8.contains($0) } ?? raw.endIndex
        guard let (host, port) = PushEndpoint.parts(of: raw[end..<pathStart], standardPort: isSecure ? 443 : 80) else {
            throw Self.valueError("It has an invalid host or port, or contains user information.")
        }
        guard raw[pathStart...].utf8.allSatisfy(Self.isPathLetter) else {
            throw Self.valueError("It has a fragment, or a character that must be percent-encoded.")
        }
        self.isSecure = isSecure
        self.host = host.lowercased()
        self.port = port
        origin = String(raw[..<pathStart])
        let path = raw[pathStart...]
        self.path = path.utf8.first == UInt8(ascii: "/") ? String(path) : "/" + path
    }

    /// Whether the byte may occur in a path or a query (RFC 3986 §3.3, §3.4).
    private static func isPathLetter(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || pathLetters.contains(byte)
    }

    private static let pathLetters = Set("/?%-._~!$&'()*+,;=:@".utf8)

    private static func valueError(_ what: String) -> ValueError {
        ValueError(
            code: "invalidURL",
            message:
                "\(what) Allowed is 'https://', an ASCII host, optionally ':' and a port of 1 to 65535, and a path."
        )
    }
}
