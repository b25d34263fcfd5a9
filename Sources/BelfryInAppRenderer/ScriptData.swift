/// JSON as it stands in a `<script>`.
enum ScriptData {
    private static let hexDigits = Array("0123456789abcdef".utf8)

    /// `<`, `>`, `&` and the two line ends that JSON has and older scripts have not (U+2028, U+2029) as JSON's own escapes.
    /// They stand in strings only, where these mean the same.
    ///
    /// It goes by bytes: by characters, a mark in front of a `<` or behind it would hide it (SEC-7).
    static func escaped(_ json: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in json {
            switch byte {
            case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"):
                text += "\\u00".utf8
                text += [hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 0xF)]]
            // The third byte of U+2028 or U+2029: the first two are E2 80.
            case 0xA8, 0xA9:
                if text.suffix(2).elementsEqual([0xE2, 0x80]) {
                    text.removeLast(2)
                    text += "\\u202".utf8
                    text.append(hexDigits[Int(byte & 0xF)])
                } else {
                    text.append(byte)
                }
            default: text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
