import Foundation

/// Base64 for headers and addresses, without padding (RFC 4648 §5).
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.underestimatedCount * 4 / 3 + 3)
        var bits: UInt32 = 0
        var pending: UInt32 = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            pending += 8
            while pending >= 6 {
                pending -= 6
                text.append(alphabet[Int(bits >> pending & 0x3f)])
            }
        }
        if pending > 0 {
            text.append(alphabet[Int(bits << (6 - pending) & 0x3f)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// nil for anything that is not base64url.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        decode(utf8: text.utf8)
    }

    package static func decode(utf8: some Sequence<UInt8>) -> [UInt8]? {
        var bytes = utf8.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            // The letters of the other alphabet are not this one's.
            case UInt8(ascii: "+"), UInt8(ascii: "/"): UInt8(ascii: "!")
            default: byte
            }
        }
        while bytes.count % 4 != 0 { bytes.append(UInt8(ascii: "=")) }
        return Data(base64Encoded: Data(bytes)).map { Array($0) }
    }
}
