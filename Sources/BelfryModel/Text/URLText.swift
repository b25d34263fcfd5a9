import Foundation

/// Addresses as texts from outside (SEC-6). They are percent-encoded to the characters of RFC 3986 before Foundation
/// reads them, so that every system reads the same.
public enum URLText {
    /// The maximum length in bytes before encoding. The longest address of a request has a cursor of 8 KiB.
    public static let maximumLength = 16_384

    /// The address; nil for an empty or too long text, for one with a control character, and for one with a host that
    /// is not ASCII. Characters that are invalid elsewhere in an address are percent-encoded.
    public static func url(_ text: String) -> URL? {
        guard (1...maximumLength).contains(text.utf8.count), let written = written(Array(text.utf8)) else { return nil }
        return URL(string: written)
    }

    /// A part of an address.
    private enum Part {
        case schemeOrPath, authority, path, query, fragment
    }

    private static func written(_ bytes: [UInt8]) -> String? {
        var written: [UInt8] = []
        written.reserveCapacity(bytes.count + 16)
        var part = Part.schemeOrPath
        for (index, byte) in bytes.enumerated() {
            guard byte >= 0x20, byte != 0x7f else { return nil }
            let former = part
            part = next(former, at: index, in: bytes)
            if part == .authority {
                guard isAllowed(byte, in: part) || byte == UInt8(ascii: "%") else { return nil }
                written.append(byte)
            } else if isAllowed(byte, in: part) || isEscape(at: index, in: bytes) || begins(part, after: former) {
                written.append(byte)
            } else {
                let (high, low) = byte.hexDigits(uppercase: true)
                written += [UInt8(ascii: "%"), high, low]
            }
        }
        return String(decoding: written, as: UTF8.self)
    }

    /// The part to which the byte belongs, or that it begins.
    private static func next(_ part: Part, at index: Int, in bytes: [UInt8]) -> Part {
        switch (part, bytes[index]) {
        case (.fragment, _): .fragment
        case (_, UInt8(ascii: "#")): .fragment
        case (.query, _), (_, UInt8(ascii: "?")): .query
        case (.authority, UInt8(ascii: "/")): .path
        // Two slashes at the beginning, or after the scheme, begin an authority, which starts after them.
        case (.schemeOrPath, _) where isBehindSlashes(index, in: bytes):
            bytes[index] == UInt8(ascii: "/") ? .path : .authority
        default: part
        }
    }

    private static func isBehindSlashes(_ index: Int, in bytes: [UInt8]) -> Bool {
        guard index >= 2, bytes[index - 1] == UInt8(ascii: "/"), bytes[index - 2] == UInt8(ascii: "/") else {
            return false
        }
        return index == 2 || (bytes[index - 3] == UInt8(ascii: ":") && isScheme(bytes[..<(index - 3)]))
    }

    private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, isLetter(first) else { return false }
        return bytes.allSatisfy { isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) }
    }

    /// Whether the byte is the `?` or the `#` that begins this part.
    private static func begins(_ part: Part, after former: Part) -> Bool {
        part != former && (part == .query || part == .fragment)
    }

    private static func isEscape(at index: Int, in bytes: [UInt8]) -> Bool {
        bytes[index] == UInt8(ascii: "%") && index + 2 < bytes.count && bytes[index + 1].isHexDigit
            && bytes[index + 2].isHexDigit
    }

    /// Whether the character may occur unencoded (RFC 3986 §3), including `?` inside a query and a fragment.
    private static func isAllowed(_ byte: UInt8, in part: Part) -> Bool {
        if isLetter(byte) || isDigit(byte) || "-._~!$&'()*+,;=:@/".utf8.contains(byte) { return true }
        switch part {
        case .authority: return byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
        case .query, .fragment: return byte == UInt8(ascii: "?")
        case .schemeOrPath, .path: return false
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 26
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }
}
