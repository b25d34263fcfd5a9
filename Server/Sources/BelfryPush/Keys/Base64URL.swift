import Foundation

/// Base64 for headers and addresses, without padding (RFC 4648 §5).
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        encode(Array(bytes))
    }

    package static func encode(_ bytes: [UInt8]) -> String {
        bytes.withUnsafeBytes { encode($0) }
    }

    /// The same encoding for bytes in memory, without a copy.
    package static func encode(_ bytes: UnsafeRawBufferPointer) -> String {
        String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { text in
            var count = 0
            var bits: UInt32 = 0
            var pending: UInt32 = 0
            for byte in bytes {
                bits = bits << 8 | UInt32(byte)
                pending += 8
                while pending >= 6 {
                    pending -= 6
                    text[count] = alphabet[Int(bits >> pending & 0x3f)]
                    count += 1
                }
            }
            if pending > 0 {
                text[count] = alphabet[Int(bits << (6 - pending) & 0x3f)]
                count += 1
            }
            return count
        }
    }

    /// Nil for anything that is not base64url.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        decode(utf8: Array(text.utf8)[...])
    }

    /// The same decoding for the bytes of a text. It is not generic, because a generic function of another module is
    /// slow, and every call of a device has a token.
    package static func decode(utf8: ArraySlice<UInt8>) -> [UInt8]? {
        utf8.withUnsafeBufferPointer { letters in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(letters.count * 3 / 4)
            var bits: UInt32 = 0
            var count = 0
            for letter in letters {
                if letter == UInt8(ascii: "=") { break }
                let value = values[Int(letter)]
                guard value < 64 else { return nil }
                bits = bits << 6 | UInt32(value)
                count += 1
                if count % 4 != 1 { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(6 - 2 * ((count + 3) % 4)))) }
            }
            let padding = letters[count...]
            let isWhole = padding.isEmpty || (letters.count % 4 == 0 && padding.count < 3)
            // A single last letter is not a byte. The padding of the last four letters is optional.
            guard count % 4 != 1, isWhole, padding.allSatisfy({ $0 == UInt8(ascii: "=") }) else { return nil }
            return bytes
        }
    }

    /// The value of each letter; 255 for any other byte.
    private static let values: [UInt8] = (0...255).map { byte in
        alphabet.firstIndex(of: byte).map(UInt8.init) ?? .max
    }

    /// Nil for anything but the spelling that ``encode(_:)`` produces: without padding, and with spare bits of zero.
    package static func decodeCanonical(utf8: some Sequence<UInt8>) -> [UInt8]? {
        let text = Array(utf8)
        guard let bytes = decode(utf8: text[...]), encode(bytes).utf8.elementsEqual(text) else { return nil }
        return bytes
    }
}
