import BelfryModel

/// The address from which a service account gets its access tokens: the `token_uri` of its file.
package struct TokenURI: Hashable, Sendable {
    /// The address as written in the file, because the assertion must repeat it (`aud`).
    package let url: String
    /// Whether the address is https. If not, it is on this machine.
    package let isSecure: Bool
    /// A name, an IPv4 address, or an IPv6 address without its brackets; in lower case.
    package let host: String
    package let port: Int
    /// Path and query; at least `/`.
    package let path: String

    /// `http://` is possible only for a server on this machine, as in development. The caller decides whether it is
    /// permitted.
    package init(_ raw: String) throws(ValueError) {
        let address = try WebAddress(raw)
        guard address.isSecure || Self.isThisMachine(address.host) else {
            throw ValueError(code: "notHTTPS", message: "A token address begins with 'https://'.")
        }
        url = raw
        isSecure = address.isSecure
        host = address.host
        port = address.port
        path = address.path
    }

    private static func isThisMachine(_ host: String) -> Bool {
        if host == "localhost" || host.utf8.reversed().starts(with: ".localhost".utf8.reversed()) || host == "::1" {
            return true
        }
        let parts = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0].elementsEqual("127".utf8) && parts.allSatisfy(isPartOfAddress)
    }

    /// Whether the digits are a byte of an IPv4 address in canonical decimal form: systems interpret other spellings
    /// differently.
    private static func isPartOfAddress(_ digits: Substring.UTF8View) -> Bool {
        guard digits.allSatisfy(\.isASCIIDigit), digits.count == 1 || digits.first != UInt8(ascii: "0") else {
            return false
        }
        return WholeNumber.read(Substring(digits), as: UInt8.self) != nil
    }
}

extension TokenURI: CustomStringConvertible {
    package var description: String { url }
}
