import BelfryModel

/// The body of a page.
struct PageParts {
    private let content: InAppContent
    private let type: InAppType
    private let options: InAppPageOptions
    private let words: PageWords

    init(_ content: InAppContent, type: InAppType, options: InAppPageOptions, words: PageWords) {
        self.content = content
        self.type = type
        self.options = options
        self.words = words
    }

    /// The marketer's own page, for types that may have one.
    private var html: String? { type == .html || type == .inline ? content.html : nil }

    /// A frame is transparent only if it has the same colour scheme as the surrounding page; HTML that does not mention
    /// dark devices was made for light ones.
    var colorScheme: String {
        let own =
            switch options.appearance {
            case .system: "light dark"
            case .light: "light"
            case .dark: "dark"
            }
        guard let html else { return own }
        return html.contains("color-scheme") ? own : "light"
    }

    var body: String {
        guard type != .action else { return "" }
        if let html { return framed(html) }
        let hasImage = image != nil && firstIsImage ? (title == nil && text == nil ? " pic only" : " pic") : ""
        let inside = type == .fullImage ? fullImage : closeButton() + wholeTap + main + foot
        return "<div id=\"card\" class=\"card\(hasImage)\"\(role)>\(inside)</div>"
    }

    /// A dialog holds the focus; a banner is read aloud and takes none; an inline message is a part of the app's page.
    private var role: String {
        switch type {
        case .bannerTop, .bannerBottom: " role=\"alert\"\(name)"
        case .inline: " role=\"region\"\(name)"
        default: " role=\"dialog\" aria-modal=\"true\" tabindex=\"-1\"\(name)"
        }
    }

    private var name: String {
        let label =
            title == nil ? " aria-label=\"\(HTMLText.escaped(alt ?? words.message))\"" : " aria-labelledby=\"title\""
        return label + (text == nil ? "" : " aria-describedby=\"text\"")
    }

    private func framed(_ html: String) -> String {
        let label = HTMLText.escaped(words.message)
        let frame =
            "<iframe id=\"frame\" title=\"\(label)\" sandbox=\"allow-scripts\" srcdoc=\"\(source(of: html))\"></iframe>"
        guard type == .html else { return "<div id=\"card\" class=\"card\">\(frame)</div>" }
        let role = " role=\"dialog\" aria-modal=\"true\" aria-label=\"\(label)\" tabindex=\"-1\""
        return "<div id=\"card\" class=\"card\"\(role)>\(closeButton(isHidden: true))\(frame)</div>"
    }

    /// The SDK's own part comes before the marketer's page, which a browser reads as the rest of the same document.
    /// `http-equiv`, the only thing in HTML that navigates without a script and without a press, is renamed.
    private func source(of html: String) -> String {
        let front = """
            <!DOCTYPE html><html><head><meta charset="utf-8">\
            <meta http-equiv="Content-Security-Policy" content="\(PagePolicy.frame(allowsScripts: options.allowsScripts))">\
            <meta name="viewport" content="width=device-width, initial-scale=1">\
            <style>\(PageStyle.frame)\(PageStyle.scale(options.textScale))</style>\
            <script>\(FrameScript.text)</script>
            """
        return HTMLText.escaped(front + HTMLText.withoutEquivalents(html))
    }
}

extension PageParts {
    private var title: String? { Self.shown(content.title) }
    private var text: String? { Self.shown(content.body) }
    private var alt: String? { Self.shown(content.imageAlt) }

    private static func shown(_ text: String?) -> String? {
        text.flatMap { $0.showsNothing ? nil : $0 }
    }

    private var isBanner: Bool { type == .bannerTop || type == .bannerBottom }

    /// Only an `https` or `data:` image, because the policy lets nothing else load.
    private var image: String? {
        guard let url = content.imageUrl,
            HTMLText.begins(url, with: "https://") || HTMLText.begins(url, with: "data:image/")
        else { return nil }
        return url
    }

    /// A small image comes before its text in every layout.
    private var firstIsImage: Bool {
        content.layout != .titleImageBody || title == nil || isBanner || type == .fullImage
    }

    private func closeButton(isHidden: Bool = false) -> String {
        guard type != .inline else { return "" }
        let icon = "<svg viewBox=\"0 0 14 14\" aria-hidden=\"true\"><path d=\"M2 2l10 10M12 2L2 12\"/></svg>"
        let label = HTMLText.escaped(words.close)
        let hidden = isHidden ? " hidden" : ""
        return "<button type=\"button\" id=\"close\" class=\"close\" aria-label=\"\(label)\"\(hidden)>\(icon)</button>"
    }

    /// Makes an image or a whole banner a button, beneath the other buttons.
    private var tap: String {
        let label = HTMLText.escaped(alt ?? title ?? text ?? words.message)
        return "<button type=\"button\" class=\"tap\" data-tap aria-label=\"\(label)\"></button>"
    }

    private var wholeTap: String {
        let isWhole = isBanner || (type == .inline && image == nil)
        return isWhole && content.action != nil ? tap : ""
    }

    private var figure: String {
        guard let image else { return "" }
        let isTapped = content.action != nil && wholeTap.isEmpty
        // The button has the image's text.
        let words = HTMLText.escaped(isTapped ? "" : alt ?? "")
        let missing = alt.map { " data-alt=\"\(HTMLText.escaped($0))\"" } ?? ""
        return "<figure id=\"figure\"><img src=\"\(HTMLText.escaped(image))\" alt=\"\(words)\"\(missing)>"
            + (isTapped ? tap : "") + "</figure>"
    }

    private var heading: String {
        title.map { "<h1 id=\"title\"\(direction(of: $0))>\(HTMLText.escaped($0))</h1>" } ?? ""
    }

    private var paragraph: String {
        text.map { "<p id=\"text\"\(direction(of: $0))>\(HTMLText.escaped($0))</p>" } ?? ""
    }

    private func direction(of text: String) -> String {
        guard let isRightToLeft = WritingDirection.isRightToLeft(text), isRightToLeft != options.isRightToLeft else {
            return ""
        }
        return " dir=\"\(isRightToLeft ? "rtl" : "ltr")\""
    }

    /// The number of characters from which on a text is aligned to the start and no longer centred.
    private static let proseLength = 200

    private func block(_ texts: String) -> String {
        let isProse = text.map { $0.count >= Self.proseLength || $0.contains(where: \.isNewline) } ?? false
        return texts.isEmpty ? "" : "<div class=\"text\(isProse ? " prose" : "")\">\(texts)</div>"
    }

    private var main: String {
        let parts =
            firstIsImage
            ? [figure, block(heading + paragraph)]
            : [block(heading), figure, block(paragraph)]
        return "<div id=\"main\" class=\"main\">\(parts.joined())</div>"
    }

    private var foot: String {
        guard let buttons = content.buttons, !buttons.isEmpty else { return "" }
        let written = buttons.map { button in
            "<button type=\"button\" class=\"b\" data-id=\"\(HTMLText.escaped(button.id))\"\(direction(of: button.text))>"
                + HTMLText.escaped(button.text) + "</button>"
        }
        // Two buttons are side by side where they fit.
        let stack = buttons.count > 2 ? " stack" : ""
        return "<div id=\"foot\" class=\"foot\(stack)\">\(written.joined())</div>"
    }

    /// Its texts are on a panel in the message's own colours, so that they are readable on every image.
    private var fullImage: String {
        let texts = block(heading + paragraph)
        let main = texts.isEmpty ? "" : "<div id=\"main\" class=\"main\">\(texts)</div>"
        let panel =
            main.isEmpty && foot.isEmpty
            ? ""
            : "<div class=\"panel\(main.isEmpty ? " bare" : "")\">\(main)\(foot)</div>"
        return closeButton() + figure + panel
    }
}
