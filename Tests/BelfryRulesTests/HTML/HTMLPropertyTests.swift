import BelfryModel
import BelfryRules
import Testing

/// Templates out of hostile pieces, rendered with hostile values and read by another reader.
struct HTMLPropertyTests {
    private static let variables = ["city", "firstName", "vip"]

    /// Tags cut by comments and sections, quotes and schemes that values would like to decide.
    private static let pieces = [
        "<p>", "</p>", "<a href=\"", "<a href='", "\">", "'>", "\"", "'", ">", " ", "/", "=", "x", "<", "</", "<!--",
        "-->",
        "--", "-", "!", "<b title=\"", " title='", "<scr", "ipt>", "<script>", "</script>", "<sty", "le>", "</style>",
        "<style>", "<img src=\"", " onerror=", " on", "click=1", "java", "script:", "javascript:1", "https://a.b/",
        "data:",
        "image/", "&#106;", "&#x", "6a;", "&", "&colon;", "&Tab;", "#", "?", "<iframe", "<meta http-equiv=", "refresh",
        "<svg>", "<title>", "</title>", "<textarea>", "</textarea>", "<![CDATA[", "]]>", "<?", "style=\"", "color:red;",
        "<input ", "checked", "\n", "\u{301}", "\u{0600}", "<animate values=\"", " to=\"", ";", "<form action=\"",
    ]
    private static let whole = [
        "<p>Hi {{city}}</p>", "<a href=\"https://a.b/{{city}}\">{{firstName}}</a>", "<b title='{{city}}'>x</b>",
        "{{#vip}}<i>{{city}}</i>{{/vip}}", "<!-- {{city}} -->", "<scr{{! }}een>", "<style>a{}</style>",
        "<p class=\"{{#vip}}a{{/vip}}{{^vip}}b{{/vip}}\">",
        "<a href=\"{{#vip}}https://a.b/{{/vip}}{{^vip}}/{{/vip}}{{city}}\">",
        "<input {{#vip}}checked{{/vip}}>", "<title>{{city}}</title>", "<a href='{{^city}}#{{/city}}x'>",
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
        "SEC-4, SEC-7: no value and no section makes of accepted HTML what the rules refuse, or another structure",
        arguments: 0..<UInt64(4)
    )
    func hostile(seed: UInt64) throws {
        var dice = TemplateDice(seed: seed)
        var accepted = 0
        for _ in 0..<400 {
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
        #expect(accepted > 40)
    }

    /// Pieces in any order, some of them within sections, some cut by a comment.
    private static func template(_ dice: inout TemplateDice) -> String {
        var html = ""
        for _ in 0..<(1 + dice.roll(5)) {
            let piece = dice.roll(3) == 0 ? dice.pick(whole) : dice.pick(pieces)
            let name = dice.pick(variables)
            switch dice.roll(8) {
            case 0: html += "{{#\(name)}}\(piece){{/\(name)}}"
            case 1: html += "{{^\(name)}}\(piece){{/\(name)}}"
            case 2: html += "{{#\(name)}}\(piece){{/\(name)}}{{^\(name)}}\(dice.pick(pieces)){{/\(name)}}"
            case 3: html += "{{! \(dice.pick(["x", "\n", "\u{301}"])) }}\(piece)"
            case 4: html += "\(piece){{\(dice.pick(["city", "firstName"]))}}"
            default: html += piece
            }
        }
        return html
    }

    /// Browsers differ by what stands around: all elements may have text alone, none, or some.
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
