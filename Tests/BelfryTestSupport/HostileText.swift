/// Texts that look to `Character` like something other than to a machine: marks that join with their neighbour, so that
/// a quote, a tag or a separator beside them is no `Character` of its own (SEC-7).
public enum HostileText {
    /// Code points that Swift joins with what stands before or behind them, or that change how a line reads.
    public static let marks = [
        "\u{600}",  // a number sign that takes what follows along
        "\u{301}",  // an accent on what stands before
        "\u{200d}",  // joins two
        "\u{fe0f}",  // asks for colour
        "\u{20e3}",  // a key around what stands before
        "\u{202e}",  // turns the direction
        "\u{2066}", "\u{2069}", "\u{feff}", "\u{2028}", "\u{2029}", "\u{85}", "\u{ad}", "\u{1f3fb}", "\u{e0001}",
    ]

    /// Characters with a meaning to some parser.
    public static let delimiters = [
        "'", "\"", "\\", "`", "<", ">", "&", "{{", "}}", ",", ";", ":", "=", "/", "?", "#", "%", "+", " ", "\t", "\r",
        "\n", "\r\n", "\u{0}", "\u{1b}", "\u{7f}", "</script>", "]]>", "-->", "$", "[", "]", "(", ")", "*", "_", "-",
        ".",
        "@", "|",
    ]

    /// Each delimiter with each combining mark before, after and around it; some long texts; some others.
    public static let all: [String] = {
        var texts: [String] = []
        for delimiter in delimiters {
            texts.append(delimiter)
            for mark in marks {
                texts += [mark + delimiter, delimiter + mark, "x" + mark + delimiter + mark + "y"]
            }
        }
        return texts + injections + others
    }()

    /// Texts that would become part of a statement if quotes were doubled by `Character`.
    public static let injections = [
        "x\u{600}'||(SELECT 1)||'\u{301}", "x'\u{301}||(SELECT 1)||\u{600}'", "\u{600}'; DROP TABLE devices; --\u{301}",
        "x\u{200d}'\u{fe0f} OR 1=1 --", "x\u{600}\"\u{301} OR \u{600}\"\u{301}\"=\"", "\\\u{301}'",
        "$.\u{600}\"\u{301}.x",
        "x\u{600}''\u{301}", "E'\u{600}\\'\u{301}", "?\u{301}", "\u{600}?", "$1\u{301}", ":a\u{301}", "@a", "%s\u{301}",
    ]

    /// Equal to Swift and different to a machine; halves of surrogate pairs as a lenient decoder makes them; one long
    /// `Character`; the ends of what there is.
    public static let others = [
        "é", "e\u{301}", "\u{212b}", "\u{c5}", "A\u{30a}", "\u{fffd}", "\u{fffd}\u{fffd}", "\u{d7ff}", "\u{e000}",
        "\u{10ffff}", "\u{fffe}", "👩‍👩‍👧", "🇫🇷🇩🇪", "🇫", "a" + String(repeating: "\u{301}", count: 200),
        String(repeating: "\u{600}", count: 200) + "'", "\r\n\u{301}", "\u{1100}\u{1161}\u{11a8}", "\u{0e33}", "ﬁ", "ẞ",
        "İ", "\u{130}\u{301}",
    ]

    /// The texts without the null character, which no name and no value may contain.
    public static let storable = all.filter { !$0.utf8.contains(0) }
}
