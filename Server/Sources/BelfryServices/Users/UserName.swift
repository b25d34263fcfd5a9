import BelfryModel

/// The name with which a person signs in: an e-mail address or a short name, in any case.
package struct UserName: Hashable, Sendable, CustomStringConvertible {
    package static let maximumLength = 128

    /// The name in lower case.
    package let text: String

    package init(_ raw: String) throws(ValueError) {
        let bytes = Array(raw.utf8.drop { $0 == UInt8(ascii: " ") })
        let trimmed = Array(bytes.prefix((bytes.lastIndex { $0 != UInt8(ascii: " ") } ?? -1) + 1))
        guard (1...Self.maximumLength).contains(trimmed.count), trimmed.allSatisfy(Self.allows) else {
            throw ValueError(
                code: "invalidUserName",
                message: "A user name has 1 to \(Self.maximumLength) of the characters a-z, 0-9 and . _ - + @."
            )
        }
        text = String(decoding: trimmed.map(Self.lowered), as: UTF8.self)
    }

    package var description: String { text }

    private static func allows(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"),
            UInt8(ascii: "+"), UInt8(ascii: "@"):
            true
        default: false
        }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

/// The rule for passwords: length matters, not special characters (NIST SP 800-63B §3.1.1.2).
package enum PasswordRule {
    package static let lengths = 12...256

    package static func check(_ password: String) throws(ValueError) {
        guard lengths.contains(password.unicodeScalars.count) else {
            throw ValueError(
                code: "invalidPassword",
                message: "A password has \(lengths.lowerBound) to \(lengths.upperBound) characters."
            )
        }
    }
}
