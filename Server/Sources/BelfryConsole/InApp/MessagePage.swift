import BelfryInAppRenderer
import BelfryModel
import BelfryServerModel
import BelfryServices

/// An in-app or rich message as devices show it: the renderer's own page, as a document for a sandboxed frame (IAM-12,
/// SEC-4).
enum MessagePage {
    /// The page runs its own scripts in an origin of its own; it reaches neither the console nor its cookies, and only
    /// the console shows it in a frame. What it may load, its own policy says.
    static let policy =
        "sandbox allow-scripts; frame-ancestors 'self'; base-uri 'none'; form-action 'none'; object-src 'none'"

    /// Which of a draft's pages is meant.
    enum Part: String, Sendable {
        case inApp
        case rich
    }

    /// Nil when there is nothing to show: no such part, or only actions.
    static func html(_ preview: DraftPreview, type: InAppType?, part: Part, look: PhoneLook) -> String? {
        let content: InAppContent?
        switch part {
        case .inApp: content = type == .action ? nil : preview.inApp
        case .rich: content = preview.message?.richHtml.map { InAppContent(html: $0) }
        }
        guard let content else { return nil }
        let options = InAppPageOptions(
            // Whoever has no language reads the page's own words in English; a page names one (WCAG 3.1.1).
            bridge: .preview, language: preview.variant ?? preview.locale ?? "en",
            isRightToLeft: look.isRightToLeft ? true : nil,
            allowsScripts: part == .inApp && preview.allowsScripts, appearance: look.isDark ? .dark : .light,
            textScale: look.isLarge ? PhoneLook.largeScale : 100
        )
        return InAppPage.make(content, type: part == .rich ? .html : type ?? .modal, options: options)
    }

    /// In the place of a page that cannot be made.
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
    /// A frame has its name from the beginning: forms are sent to it by that.
    let pageName: String
    let pageTitle: String
    let pageCaption: String
    /// Where the page comes from.
    let pageSource: String?
    /// Where a script sends the form for it.
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
