import BelfryModel

/// The endpoint of a push service: host and port of a base URL such as `https://api.push.apple.com`.
package struct PushEndpoint: Hashable, Sendable {
    /// The maximum length of the URL in bytes.
    package static let maximumLength = 512
    package static let standardPort = 443

    package static let apnsProduction = PushEndpoint(host: "api.push.apple.com", port: standardPort)
    package static let apnsSandbox = PushEndpoint(host: "api.sandbox.push.apple.com", port: standardPort)
    package static let fcm = PushEndpoint(host: "fcm.googleapis.com", port: standardPort)

    /// A name, an IPv4 address, or an IPv6 address without its brackets.
    package let host: String
    package let port: Int

    private init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    package init(_ raw: String) throws(ValueError) {
        guard raw.utf8.count <= Self.maximumLength else {
            throw ValueError(code: "tooLong", message: "An endpoint has at most \(Self.maximumLength) bytes.")
        }
        let scheme = "https://"
        guard raw.lowercased().hasPrefix(scheme) else {
            throw ValueError(code: "notHTTPS", message: "An endpoint is a base URL that begins with 'https://'.")
        }
        var authority = raw.dropFirst(scheme.count)
        if authority.hasSuffix("/") { authority = authority.dropLast() }
        guard let (host, port) = Self.parts(of: authority, standardPort: Self.standardPort) else {
            throw ValueError(
                code: "invalidEndpoint",
                message: "An endpoint is 'https://', an ASCII host and, optionally, ':' and a port of 1 to 65535. It "
                    + "has no user, path, query or fragment."
            )
        }
        self.host = host.lowercased()
        self.port = port
    }

    /// Host and port in the form of the `:authority` header.
    package var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == Self.standardPort ? name : "\(name):\(port)"
    }

    /// Host and port of an authority without a user; nil for any other form.
    static func parts(of authority: Substring, standardPort: Int) -> (host: String, port: Int)? {
        guard let (host, port) = split(authority), isHost(host), let port = Self.port(port, or: standardPort) else {
            return nil
        }
        return (host, port)
    }

    private static func split(_ authority: Substring) -> (host: String, port: Substring)? {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let host = authority[authority.index(after: authority.startIndex)..<end]
            guard host.contains(":") else { return nil }
            return (String(host), authority[authority.index(after: end)...])
        }
        let colon = authority.firstIndex(of: ":") ?? authority.endIndex
        return (String(authority[..<colon]), authority[colon...])
    }

    /// The port; `""` is the standard port, `":8443"` is 8443.
    private static func port(_ text: Substring, or standardPort: Int) -> Int? {
        guard !text.isEmpty else { return standardPort }
        let digits = text.dropFirst()
        guard text.hasPrefix(":"), (1...5).contains(digits.utf8.count),
            digits.utf8.allSatisfy(\.isASCIIDigit),
            let port: Int = WholeNumber.read(digits), (1...65_535).contains(port)
        else { return nil }
        return port
    }

    private static func isHost(_ host: String) -> Bool {
        guard (1...253).contains(host.utf8.count) else { return false }
        if host.contains(":") {
            return host.utf8.allSatisfy { UInt8(ascii: ":") == $0 || UInt8(ascii: ".") == $0 || $0.isASCIIHexDigit }
        }
        return host.utf8.allSatisfy { UInt8(ascii: "-") == $0 || UInt8(ascii: ".") == $0 || $0.isASCIIAlphanumeric }
    }
}

extension PushEndpoint: CustomStringConvertible {
    package var description: String { "https://\(authority)" }
}
