import BelfryModel

/// The origin of a web page, in the spelling of browsers' `Origin` header (RFC 6454 §6.2): in lower case, without the
/// scheme's default port.
package struct WebOrigin: Hashable, Sendable {
    /// The longest host, in characters (RFC 1035 §2.3.4).
    static let maximumHostLength = 253
    private static let usualPorts = ["http": 80, "https": 443]

    package let rawValue: String

    /// Reads `scheme://host` or `scheme://host:port`. Throws for a path, `*` or `null`.
    package init(_ raw: String) throws(ValueError) {
        guard raw.utf8.count <= 2 * Self.maximumHostLength, raw.utf8.allSatisfy({ $0 < 0x80 }),
            let origin = Self.canonical(raw.lowercased())
        else {
            throw ValueError(
                code: "invalidOrigin",
                message: "An origin is scheme://host or scheme://host:port, without a path and without '*': "
                    + "https://www.example.com."
            )
        }
        rawValue = origin
    }

    private static func canonical(_ text: String) -> String? {
        guard let end = text.utf8.firstRange(of: "://".utf8) else { return nil }
        let scheme = String(text[..<end.lowerBound])
        let rest = text[end.upperBound...].utf8
        guard isScheme(scheme) else { return nil }
        // The colons of an IPv6 address are inside brackets.
        let hostEnd =
            rest.first == UInt8(ascii: "[")
            ? rest.firstIndex(of: UInt8(ascii: "]")).map(rest.index(after:)) : rest.firstIndex(of: UInt8(ascii: ":"))
        let host = Substring(rest[..<(hostEnd ?? rest.endIndex)])
        let tail = rest[(hostEnd ?? rest.endIndex)...]
        guard isHost(host.utf8) else { return nil }
        guard !tail.isEmpty else { return "\(scheme)://\(host)" }
        guard tail.first == UInt8(ascii: ":"), let port = port(Substring(tail.dropFirst())) else { return nil }
        return usualPorts[scheme] == port ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }

    private static func isScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) }
    }

    private static func isHost(_ text: Substring.UTF8View) -> Bool {
        guard (1...maximumHostLength).contains(text.count) else { return false }
        if text.first == UInt8(ascii: "[") {
            let address = text.dropFirst().dropLast()
            return text.last == UInt8(ascii: "]") && address.contains(UInt8(ascii: ":"))
                && address.allSatisfy { isDigit($0) || "abcdef:.".utf8.contains($0) }
        }
        return text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
            !label.isEmpty && label.allSatisfy { isLetter($0) || isDigit($0) || "-_".utf8.contains($0) }
        }
    }

    private static func port(_ text: Substring) -> Int? {
        guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy(isDigit), let port: Int = WholeNumber.read(text),
            (1...65_535).contains(port)
        else { return nil }
        return port
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

extension WebOrigin: CustomStringConvertible {
    package var description: String { rawValue }
}
