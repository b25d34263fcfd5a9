import BelfryInAppRenderer
import BelfryModel
import BelfryServerModel
import BelfryServices

/// An in-app or rich message as devices show it: the HTML of the renderer, as a document for a sandboxed frame (IAM-12,
/// SEC-4).
enum MessagePage {
    /// The page runs its scripts in an origin of its own, so it has no access to the console or its cookies. Only the
    /// console can show it in a frame. The page's own policy says what it may load.
    static let policy =
        "sandbox allow-scripts; frame-ancestors 'self'; base-uri 'none'; form-action 'none'; object-src 'none'"

    /// One of the pages that a draft may have.
    enum Part: String, Sendable {
        case inApp
        case rich
    }

    /// Returns nil where there is no page to show: the draft does not have this part, or its message only runs actions.
    static func html(_ preview: DraftPreview, type: InAppType?, part: Part, look: PhoneLook) -> String? {
        let content: InAppContent?
        switch part {
        case .inApp: content = type == .action ? nil : preview.inApp
        case .rich: content = preview.message?.richHtml.map { InAppContent(html: $0) }
        }
        guard let content else { return nil }
        let options = InAppPageOptions(
            // Without a language of the person, the page's own words are English. A page must name its language (WCAG
            // 3.1.1).
            bridge: .preview, language: preview.variant ?? preview.locale ?? "en",
            isRightToLeft: look.isRightToLeft ? true : nil,
            allowsScripts: part == .inApp && preview.allowsScripts, appearance: look.isDark ? .dark : .light,
            textScale: look.isLarge ? PhoneLook.largeScale : 100
        )
        return InAppPage.make(content, type: part == .rich ? .html : type ?? .modal, options: options)
    }

    /// A page with only a sentence, in place of a page that cannot be made.
    static func sentence(_ text: String) -> String {
        """
        <!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Preview</title></head>\
        <body><p>\(HTMLEscaping.escaped(text))</p></body></html>
        """
    }
}

/// A page in the frame of a phone.
struct PhonePage: Sendable {
    let look: String
    /// The name of the frame. It is set from the beginning, because forms are sent to the frame by its name.
    let pageName: String
    let pageTitle: String
    let pageCaption: String
    /// The address from which the frame loads the page.
    let pageSource: String?
    /// The address to which a script sends the form to load the page.
    let pageForm: String?

    init(_ title: String, _ look: PhoneLook, source: String? = nil, form: String? = nil) {
        self.look = look.classes
        pageName = "page-\(title.utf8.count)-\(look.isDark ? "dark" : "light")"
        pageTitle = "\(title), \(look.words.lowercased())"
        pageCaption = "\(title). \(look.words)"
        pageSource = source
        pageForm = form
    }
}
