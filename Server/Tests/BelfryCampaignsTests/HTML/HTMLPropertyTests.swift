import BelfryCampaigns
import BelfryModel
import BelfryTestSupport
import Testing

/// Templates out of hostile pieces, rendered with hostile values and read by another reader.
struct HTMLPropertyTests {
    private static let variables = ["city", "firstName", "vip"]

    /// Places in which a value, a section or a cut tag would do harm: what stands before and behind them.
    private static let places = [
        ("<a href=\"", "\">"), ("<a href='", "'>"), ("<a href=", ">"), ("<form action=\"", "\">"),
        ("<img src=\"", "\">"),
        ("<b title=\"", "\">x</b>"), ("<b title='", "'>"), ("<p ", ">"), ("<", ">"), ("</", ">"), ("<!--", "--><i>"),
        ("<!-- ", ">"),
        ("<style>", "</style>"), ("<svg><style>", "</style>"), ("<title>", "</title>"), ("<svg><title>", "</title>"),
        ("<noscript>", "</noscript>"), ("<svg><![CDATA[", "]]><i>"), ("<?", "><i>"), ("<p style=\"", "\">"),
        ("<animate values=\"", "\">"),
        ("<meta http-equiv=\"", "\">"), ("<set to='", "'>"), ("<script>", "</script>"), ("<scr", "ipt>"),
        ("<input ", ">"), ("", ""), ("", ""), ("<textarea>", "</textarea>"), ("<select><style>", "</style>"),
        ("<template><col><title>", "</title></template>"), ("<table><colgroup><style>", "</style>"),
        ("<frameset><noframes>", "</noframes>"), ("<xmp>", "</xmp>"), ("<plaintext>", "</plaintext>"),
    ]

    /// Parts of tags, quotes and schemes.
    private static let pieces = [
        "<p>", "</p>", "\"", "'", ">", " ", "/", "=", "x", "<", "<!--", "-->", "--", "-", "!", " title='", " title=\"",
        "<scr", "ipt",
        "<script>", "</script>", "le>", "<style>", "</style>", "<img src=x", " onerror=", " on", "click=1", "java",
        "script:",
        "javascript:1", "https://a.b/", "https:", "data:", "image/", "&#106;", "&#x", "6a;", "&", "&colon;", "&Tab;",
        "#", "?", "iframe",
        "refresh", "<svg>", "</title>", "<title>", "<template>", "<col>", "<select>", "]]>", "color:red;", "checked",
        "class=\"a\"", "\n", "\u{301}", "\u{0600}", ";",
        "<b>",
    ]
    private static let values = [
        "x", "javascript:alert(1)", "\"><script>alert(1)</script>", "' onclick='alert(1)", "-->", "--", "--!",
        "]]>", "\u{301}",
        "\u{0600}<b>\u{0301}", "106;avascript:1", "colon;", "&#106;", "</title><script>", "</style>",
        "x\u{200D}\"\u{FE0F} onerror=1 ",
        "//evil.example", "data:text/html,<script>", " ", "\n", ";javascript:1", "{{#vip}}<script>{{/vip}}",
        "x y=1",
    ]

    @Test(
        "SEC-4, SEC-7: no value and no section turns accepted HTML into refused HTML or another structure",
        arguments: Endurance.seeds(4, brief: 1)
    )
    func hostile(seed: UInt64) throws {
        var dice = TemplateDice(seed: seed)
        var accepted = 0
        for _ in 0..<1_500 {
            let policy: HTMLPolicy = dice.roll(2) == 0 ? .richContent : .inApp(allowsScripts: false)
            let html = Self.template(&dice)
            guard let render = try? ComposedHTML(html: html, policy: policy).template() else { continue }
            accepted += 1
            for present in 0..<8 {
                let names = Self.variables.indices.filter { present & (1 << $0) != 0 }.map { Self.variables[$0] }
                let plain = Dictionary(uniqueKeysWithValues: names.map { ($0, "x") })
                let values = plain.mapValues { _ in dice.pick(Self.values) }
                let (expected, page) = (try render(plain), try render(values))
                for world in 0..<3 {
                    let seed = world < 2 ? 0 : dice.next()
                    let tokens = Self.tokens(page, world: world, seed: seed)
                    #expect(Self.fault(tokens) == nil, "\(html)\n\(values)\n\(page)")
                    let shape = Self.shape(Self.tokens(expected, world: world, seed: seed))
                    #expect(Self.shape(tokens) == shape, "\(html)\n\(values)\n\(page)")
                }
            }
        }
        #expect(accepted > 200)
    }

    /// Some places one behind another, with parts in them; now and then one is not closed.
    private static func template(_ dice: inout TemplateDice) -> String {
        var html = ""
        for _ in 0..<(1 + dice.roll(3)) {
            let (front, back) = dice.pick(places)
            html += front
            for _ in 0..<dice.roll(4) { html += part(&dice, depth: 0) }
            if dice.roll(8) > 0 { html += back }
        }
        return html
    }

    /// A value, a piece, a comment of the template, or a section of such parts.
    private static func part(_ dice: inout TemplateDice, depth: Int) -> String {
        switch dice.roll(depth > 1 ? 5 : 8) {
        case 0, 1: return "{{\(dice.pick(["city", "firstName"]))}}"
        case 2: return "{{! \(dice.pick(["x", "\n", "\u{301}"])) }}"
        case 3, 4: return dice.pick(pieces)
        default:
            let name = dice.pick(variables)
            let sign = dice.pick(["#", "^"])
            let inner = part(&dice, depth: depth + 1) + (dice.roll(2) == 0 ? dice.pick(pieces) : "")
            let section = "{{\(sign)\(name)}}\(inner){{/\(name)}}"
            guard dice.roll(3) == 0 else { return section }
            return section + "{{\(sign == "#" ? "^" : "#")\(name)}}\(part(&dice, depth: depth + 1)){{/\(name)}}"
        }
    }

    /// In a browser the surrounding elements decide: all elements may be text, none, or some.
    private static func tokens(_ page: String, world: Int, seed: UInt64) -> [PageTokens.Token] {
        var dice = TemplateDice(seed: seed)
        return PageTokens(page) { world == 0 ? true : world == 1 ? false : dice.roll(2) == 0 }.tokens
    }

    /// The elements with the names of their attributes, and where comments stand.
    private static func shape(_ tokens: [PageTokens.Token]) -> [String] {
        tokens.compactMap { token in
            switch token {
            case .start(let name, let attributes): "<\(name) \(attributes.map(\.name))"
            case .end(let name): "</\(name)"
            case .comment: "<!--"
            case .text: nil
            }
        }
    }

    private static let addresses: Set = ["href", "src", "action", "to", "values", "srcset"]

    private static func fault(_ tokens: [PageTokens.Token]) -> String? {
        for token in tokens {
            guard case .start(let name, let attributes) = token else { continue }
            if ["script", "iframe"].contains(name) { return "<\(name)>" }
            for attribute in attributes {
                if attribute.name.hasPrefix("on"), attribute.name.count > 2 { return attribute.name }
                if name == "meta", attribute.name == "http-equiv", attribute.value != "content-type" {
                    return "refresh"
                }
                guard addresses.contains(attribute.name) else { continue }
                for address in attribute.name == "values"
                    ? attribute.value.split(separator: ";") : [Substring(attribute.value)]
                {
                    let scheme = scheme(of: String(address))
                    let isImage = name == "img" && attribute.name == "src"
                    if scheme == "data", isImage, plain(String(address)).hasPrefix("data:image/") { continue }
                    if ["javascript", "data", "file"].contains(scheme) {
                        return "\(attribute.name)=\(attribute.value)"
                    }
                }
            }
        }
        return nil
    }

    /// As the URL standard reads it (4.4).
    private static func scheme(of address: String) -> String? {
        let text = plain(address)
        guard let colon = text.unicodeScalars.firstIndex(of: ":") else { return nil }
        let scheme = text.unicodeScalars[..<colon]
        guard let first = scheme.first, first.properties.isAlphabetic, first.isASCII else { return nil }
        return String(String.UnicodeScalarView(scheme)).lowercased()
    }

    private static func plain(_ address: String) -> String {
        let trimmed = address.unicodeScalars.drop { $0.value <= 0x20 }
        return String(String.UnicodeScalarView(trimmed.filter { !"\t\n\r".unicodeScalars.contains($0) })).lowercased()
    }
}
