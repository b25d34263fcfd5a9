import BelfryModel

/// JSON inside a `<script>`.
enum ScriptData {
    /// Escapes `<`, `>`, `&` and the two line ends that are valid in JSON but not in older scripts (U+2028, U+2029).
    /// They occur only in strings, where JSON's escapes mean the same.
    ///
    /// It works on bytes: with characters, a combining mark next to a `<` would hide it (SEC-7).
    static func escaped(_ json: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in json {
            switch byte {
            case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"):
                let (high, low) = byte.hexDigits(uppercase: false)
                text += "\\u00".utf8
                text += [high, low]
            // The third byte of U+2028 or U+2029: the first two are E2 80.
            case 0xA8, 0xA9:
                if text.suffix(2).elementsEqual([0xE2, 0x80]) {
                    text.removeLast(2)
                    text += "\\u202".utf8
                    text.append(byte.hexDigits(uppercase: false).1)
                } else {
                    text.append(byte)
                }
            default: text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
