import BelfryModel

/// The elements, attributes and addresses that a marketer's HTML may have (SEC-4, IAM-12).
struct HTMLRules {
    struct Violation: Hashable {
        let code: String
        let what: String
    }

    /// Elements that include another page or navigate by themselves.
    private static let foreignElements: Set = [
        "applet", "base", "embed", "fencedframe", "frame", "frameset", "iframe", "object", "portal",
    ]
    /// Elements whose content a browser reads as markup in one context and as text in another. No message needs them.
    /// The content of `<math>` may even change its meaning once a page has written it out and read it again.
    private static let ambiguousElements: Set = [
        "annotation-xml", "malignmark", "math", "mglyph", "noembed", "noframes", "plaintext", "template", "xmp",
    ]
    /// Attributes whose value is an address, or becomes one through SVG animations.
    private static let addresses: Set = [
        "action", "attributionsrc", "background", "by", "cite", "classid", "codebase", "data", "dynsrc", "formaction",
        "from", "href", "icon", "longdesc", "lowsrc", "manifest", "ping", "poster", "profile", "src", "to",
        "xlink:href",
        "xml:base",
    ]
    /// Attributes whose value is a list of addresses, with its separator.
    private static let lists: [String: UInt8] = [
        "imagesrcset": UInt8(ascii: ","), "srcset": UInt8(ascii: ","), "values": UInt8(ascii: ";"),
    ]
    /// Attributes whose address may be an embedded image.
    private static let images: Set = ["background", "imagesrcset", "poster", "src", "srcset"]
    /// Elements whose `href` only names an image or a resource.
    private static let imageElements: Set = ["feimage", "image", "link"]
    /// Attributes of `<meta>` that describe the page itself.
    private static let metaWords: Set = ["charset", "content"]
    /// Permitted values of `<meta http-equiv>`, where it is permitted at all: none navigates or sets a cookie.
    private static let harmlessEquivalents: Set = [
        "cache-control", "cleartype", "content-language", "content-security-policy", "content-type", "default-style",
        "expires", "imagetoolbar", "pragma", "x-dns-prefetch-control", "x-ua-compatible",
    ]
    /// Schemes that run script wherever an address is used.
    static let scriptSchemes: Set = ["javascript", "vbscript", "livescript"]
    /// Schemes that no address may have (as in ``LinkRule``), except `data` for images.
    private static let rejectedSchemes: Set = ["about", "blob", "data", "file", "filesystem", "view-source"]

    let policy: HTMLPolicy

    /// How the value of an attribute is judged.
    static func reading(of attribute: String, in element: String) -> ValueReading {
        if isHandler(attribute) || attribute == "srcdoc" { return .code }
        if attribute == "style" { return .style(StyleReading()) }
        if let separator = lists[attribute] {
            return .address(AddressReading(separator: separator, takesImages: images.contains(attribute)))
        }
        if addresses.contains(attribute) {
            let isImage = attribute == "href" || attribute == "xlink:href" ? imageElements.contains(element) : false
            return .address(AddressReading(takesImages: isImage || images.contains(attribute)))
        }
        if element == "meta", attribute == "http-equiv" { return .word([], CharacterReferences()) }
        if element == "meta", metaWords.contains(attribute) { return .own }
        return .text
    }

    func violation(ofElement name: String) -> Violation? {
        if name == "script" || name.utf8.reversed().starts(with: ":script".utf8.reversed()) {
            return policy.allowsScripts ? nil : script("there is a <script>")
        }
        if Self.ambiguousElements.contains(name) {
            return Violation(
                code: "notAllowed",
                what: "there is a <\(name)>: its content can be read in different ways, and no message needs it"
            )
        }
        guard Self.foreignElements.contains(name) else { return nil }
        return Violation(
            code: "notAllowed", what: "there is a <\(name)>: a message is one page and cannot contain another"
        )
    }

    func violation(ofAttribute name: String, in element: String) -> Violation? {
        if Self.isHandler(name) {
            return policy.allowsScripts ? nil : script("<\(element.prefix(32))> has '\(name.prefix(32))'")
        }
        guard name == "srcdoc" || (name == "http-equiv" && element == "meta" && policy != .richContent) else {
            return nil
        }
        return becomesAnother("<\(element.prefix(32))> has '\(name)'")
    }

    func violation(of value: ValueReading.Violation, in place: String) -> Violation? {
        switch value {
        case .scheme(let scheme): violation(ofScheme: scheme, in: place)
        case .style(let style): violation(of: style, in: place)
        case .word(let word):
            // In-app messages must not have this attribute at all.
            place != "http-equiv" || policy != .richContent || Self.harmlessEquivalents.contains(word)
                ? nil : becomesAnother("<meta http-equiv> says '\(word.prefix(32))'")
        }
    }

    func violation(of style: StyleReading.Violation, in place: String) -> Violation? {
        switch style {
        case .scheme(let scheme): violation(ofScheme: scheme, in: place)
        case .code(let code): policy.allowsScripts ? nil : script("the style in '\(place.prefix(32))' has '\(code)'")
        }
    }

    private func violation(ofScheme scheme: String, in place: String) -> Violation? {
        let isScript = Self.scriptSchemes.contains(scheme)
        if isScript, !policy.allowsScripts { return script("'\(place.prefix(32))' begins with '\(scheme):'") }
        guard isScript || Self.rejectedSchemes.contains(scheme) else { return nil }
        return Violation(
            code: "schemeNotAllowed",
            what: "the address of '\(place.prefix(32))' begins with '\(scheme):', which is not allowed"
        )
    }

    private func becomesAnother(_ what: String) -> Violation {
        Violation(code: "notAllowed", what: "\(what): a message is one page and cannot become another")
    }

    private func script(_ what: String) -> Violation {
        let advice =
            policy == .richContent
            ? "leave it out, or use your own page with 'richUrl'"
            : "leave it out, or allow it with the app's setting 'inAppScripts'"
        return Violation(code: "scriptNotAllowed", what: "\(what), and script is not allowed: \(advice)")
    }

    private static func isHandler(_ name: String) -> Bool { name.utf8.starts(with: "on".utf8) && name.utf8.count > 2 }
}

/// The rules for a marketer's HTML, by where it is shown (SEC-4).
///
/// The same check applies everywhere; only script and `<meta http-equiv>` differ.
package enum HTMLPolicy: Hashable, Sendable {
    /// An in-app message. Its HTML is in a sandboxed frame, where script may run if the app's setting `inAppScripts`
    /// allows it (IAM-12).
    case inApp(allowsScripts: Bool)
    /// Rich content of a message center. The app decides how it is shown, so it must not contain script.
    case richContent

    var allowsScripts: Bool { self == .inApp(allowsScripts: true) }
}
