import BelfryModel

/// Renders an in-app message as one self-contained page (IAM-12): the app shows it in a web view, a preview shows the
/// same page.
///
/// It loads only `https` and `data:` images. Its policy allows only its own two scripts, by their digests. A page that
/// the marketer wrote is in a frame with its own origin, which can reach neither the surrounding page nor the app.
/// Without images and the marketer's HTML it is smaller than 20 KB.
public struct InAppPage {
    /// The maximum size of a page in bytes, without its images, its texts and the marketer's HTML.
    public static let maximumBytes = 20_480

    /// - Parameter content: rendered for one recipient, without templates. Invalid colours, and an image address that
    ///   is not `https` or a `data:` image, are left out.
    public static func make(_ content: InAppContent, type: InAppType, options: InAppPageOptions) -> String {
        let words = PageWords(language: options.language)
        let parts = PageParts(content, type: type, options: options, words: words)
        let data = PageData(content, type: type, options: options)
        return """
            <!DOCTYPE html>
            <html\(language(options.language)) dir="\(options.isRightToLeft ? "rtl" : "ltr")">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="\(PagePolicy.page(allowsScripts: options.allowsScripts))">
            <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
            <meta name="color-scheme" content="\(parts.colorScheme)">
            <meta name="referrer" content="no-referrer">
            <title>\(HTMLText.escaped(content.title ?? words.message))</title>
            <style>
            \(PageColors.style(content.colors, appearance: options.appearance))
            \(PageStyle.text(of: type))\(PageStyle.scale(options.textScale))
            </style>
            </head>
            <body class="\(type.rawValue)">
            \(parts.body)
            <script type="application/json" id="page">\(data.text)</script>
            <script>\(PageScript.text)</script>
            </body>
            </html>
            """
    }

    /// Only a valid language, so that nothing else gets into the tag.
    private static func language(_ language: String?) -> String {
        let bytes = (language ?? "").utf8.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }
        guard !bytes.isEmpty, bytes.count <= 35,
            bytes.allSatisfy({ isLetterOrDigit($0) || $0 == UInt8(ascii: "-") })
        else { return "" }
        return " lang=\"\(String(decoding: bytes, as: UTF8.self))\""
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
    }
}
