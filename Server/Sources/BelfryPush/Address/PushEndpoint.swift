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
        guard raw.lowercased().utf8.starts(with: scheme.utf8) else {
            throw ValueError(code: "notHTTPS", message: "An endpoint is a base URL that begins with 'https://'.")
        }
        var authority = raw.utf8.dropFirst(scheme.utf8.count)
        if authority.last == UInt8(ascii: "/") { authority = authority.dropLast() }
        guard let (host, port) = Self.parts(of: Substring(authority), standardPort: Self.standardPort) else {
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
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return port == Self.standardPort ? name : "\(name):\(port)"
    }

    /// Host and port of an authority without a user; nil for any other form.
    static func parts(of authority: Substring, standardPort: Int) -> (host: String, port: Int)? {
        guard let (host, port) = split(authority.utf8), isHost(host), let port = Self.port(port, or: standardPort)
        else {
            return nil
        }
        return (host, port)
    }

    private static func split(_ authority: Substring.UTF8View) -> (host: String, port: Substring.UTF8View)? {
        if authority.first == UInt8(ascii: "[") {
            guard let end = authority.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            let host = authority[authority.index(after: authority.startIndex)..<end]
            guard host.contains(UInt8(ascii: ":")) else { return nil }
            return (String(Substring(host)), authority[authority.index(after: end)...])
        }
        let colon = authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
        return (String(Substring(authority[..<colon])), authority[colon...])
    }

    /// The port; `""` is the standard port, `":8443"` is 8443.
    private static func port(_ text: Substring.UTF8View, or standardPort: Int) -> Int? {
        guard !text.isEmpty else { return standardPort }
        let digits = text.dropFirst()
        guard text.first == UInt8(ascii: ":"), (1...5).contains(digits.count),
            digits.allSatisfy(\.isASCIIDigit),
            let port: Int = WholeNumber.read(Substring(digits)), (1...65_535).contains(port)
        else { return nil }
        return port
    }

    private static func isHost(_ host: String) -> Bool {
        guard (1...253).contains(host.utf8.count) else { return false }
        if host.utf8.contains(UInt8(ascii: ":")) {
            return host.utf8.allSatisfy { UInt8(ascii: ":") == $0 || UInt8(ascii: ".") == $0 || $0.isASCIIHexDigit }
        }
        return host.utf8.allSatisfy { UInt8(ascii: "-") == $0 || UInt8(ascii: ".") == $0 || $0.isASCIIAlphanumeric }
    }
}

extension PushEndpoint: CustomStringConvertible {
    package var description: String { "https://\(authority)" }
}
