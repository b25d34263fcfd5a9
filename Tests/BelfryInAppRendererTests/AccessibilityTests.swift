import BelfryInAppRenderer
import BelfryModel
import Testing

struct AccessibilityTests {
    private static func page(_ content: InAppContent, _ type: InAppType, language: String? = "en") -> String {
        InAppPage.make(content, type: type, options: InAppPageOptions(bridge: .preview, language: language))
    }

    @Test(
        "IAM-14: an overlay is a dialog, a banner an alert, and each has a name",
        arguments: [
            (InAppType.modal, "role=\"dialog\" aria-modal=\"true\""), (.full, "role=\"dialog\" aria-modal=\"true\""),
            (.fullImage, "role=\"dialog\" aria-modal=\"true\""), (.html, "role=\"dialog\" aria-modal=\"true\""),
            (.bannerTop, "role=\"alert\""), (.bannerBottom, "role=\"alert\""), (.inline, "role=\"region\""),
        ]
    )
    func roles(type: InAppType, role: String) {
        var content = Gallery.sale
        if type == .html { content = InAppContent(html: "<p>Hi</p>") }
        let html = Self.page(content, type)
        #expect(html.contains(role))
        #expect(html.contains(type == .html ? "aria-label=\"Message\"" : "aria-labelledby=\"title\""))
        #expect(html.contains("aria-label=\"Close\"") == (type != .inline))
        content.title = nil
        #expect(!Self.page(content, type).contains("aria-labelledby"))
    }

    @Test(
        "IAM-14: a page has the direction of its language",
        arguments: [
            ("ar", true), ("he-IL", true), ("fa_IR", true), ("ur", true), ("AR-eg", true), ("az-Arab", true),
            ("ar-\u{301}x", true),
            ("en", false), ("de-AT", false), ("ar-Latn", false), ("zh-Hant-TW", false), ("", false),
        ]
    )
    func direction(language: String, isRightToLeft: Bool) {
        #expect(InAppPageOptions(bridge: .preview, language: language).isRightToLeft == isRightToLeft)
        #expect(
            Self.page(Gallery.sale, .modal, language: language).contains("dir=\"\(isRightToLeft ? "rtl" : "ltr")\">"))
    }

    @Test("IAM-14: a text in the other direction than its page keeps it, even after a brand's name")
    func foreignText() {
        #expect(Self.page(Gallery.arabic, .modal).contains("<h1 id=\"title\" dir=\"rtl\">Belfry"))
        #expect(Self.page(Gallery.arabic, .modal, language: "ar").contains("<h1 id=\"title\">Belfry"))
        #expect(Self.page(Gallery.sale, .modal, language: "ar").contains("<p id=\"text\" dir=\"ltr\">"))
        let figures = InAppContent(title: "20 %")
        #expect(Self.page(figures, .modal, language: "ar").contains("<h1 id=\"title\">20 %"))
    }

    @Test("IAM-14: the page's own words are in the message's language; an invalid language is left out")
    func words() {
        #expect(Self.page(Gallery.sale, .modal, language: "de-CH").contains("lang=\"de-CH\""))
        #expect(Self.page(Gallery.sale, .modal, language: "de-CH").contains("aria-label=\"Schließen\""))
        #expect(Self.page(Gallery.sale, .modal, language: "xx").contains("aria-label=\"Close\""))
        for language in [nil, "\" onload=\"", "e n", String(repeating: "a", count: 36)] {
            #expect(!Self.page(Gallery.sale, .modal, language: language).contains(" lang="))
        }
    }

    @Test("IAM-14: an image with an action is a button with its text; another image has the text itself")
    func pictures() {
        let tapped = Self.page(Gallery.sale, .modal)
        #expect(tapped.contains("data-tap aria-label=\"A garden in spring\"") && tapped.contains("alt=\"\""))
        var content = Gallery.sale
        content.action = nil
        let plain = Self.page(content, .modal)
        #expect(!plain.contains("data-tap aria") && plain.contains("alt=\"A garden in spring\""))
    }

    @Test(
        "IAM-14: texts scale with the person's text size, motion can be reduced, and both colour modes are supported")
    func settings() {
        for type in InAppType.allCases where type != .action {
            let html = Self.page(Gallery.sale, type)
            #expect(html.contains("@supports(font:-apple-system-body){html{font:-apple-system-body}}"))
            #expect(html.contains("prefers-reduced-motion:reduce") && html.contains("prefers-color-scheme:dark"))
            #expect(!html.contains("user-scalable") && !html.contains("maximum-scale"))
        }
    }
}
