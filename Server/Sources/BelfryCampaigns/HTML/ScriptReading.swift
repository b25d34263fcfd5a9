/// Finds the end of a script in HTML (HTML standard, 13.2.5.4 and 13.2.5.15 to 13.2.5.31): inside something that looks
/// like a comment, a script may contain a script.
struct ScriptReading: Hashable {
    private enum Level: Hashable {
        case plain
        /// After `<!--`, and after a `<script` in it.
        case escaped, twiceEscaped
    }

    private static let opening: UInt64 = 0x3C_73_63_72_69_70_74  // <script
    private static let closing: UInt64 = 0x3C_2F_73_63_72_69_70_74  // </script
    private static let comment: UInt64 = 0x3C_21_2D_2D  // <!--

    private var level = Level.plain
    /// The last eight bytes, in lower case.
    private var last: UInt64 = 0
    private var dashes = 0

    /// Whether the script's end tag is complete before this byte, which is a blank, a slash or `>`.
    mutating func ends(before byte: UInt8) -> Bool {
        let isBreak = HTMLByte.isSpace(byte) || byte == HTMLByte.slash || byte == HTMLByte.greater
        if isBreak, last == Self.closing {
            guard level == .twiceEscaped else { return true }
            level = .escaped
        } else if isBreak, level == .escaped, last & 0xFF_FF_FF_FF_FF_FF_FF == Self.opening {
            level = .twiceEscaped
        }
        if byte == HTMLByte.greater, dashes == 2 { level = .plain }
        dashes = byte == HTMLByte.dash ? min(dashes + 1, 2) : 0
        last = last << 8 | UInt64(HTMLByte.lowered(byte))
        if level == .plain, last & 0xFF_FF_FF_FF == Self.comment { level = .escaped }
        return false
    }
}
