import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import Testing

struct ComposedHTMLTests {
    private static let policies: [HTMLPolicy] = [.inApp(allowsScripts: false), .richContent]

    private func codes(_ html: String, scripts: Bool = false) -> [String] {
        ComposedHTML(html: html, policy: .inApp(allowsScripts: scripts)).codes
    }

    private func richCodes(_ html: String) -> [String] { ComposedHTML(html: html, policy: .richContent).codes }

    @Test("IAM-12, SEC-4: a page of ordinary HTML is accepted", arguments: policies)
    func fine(policy: HTMLPolicy) {
        let pages = [
            "<h1>Sale</h1><p class=\"a\" style='color:red'>1 < 2 & 3 > 2</p>",
            "<style>a > b { color: red; content: '<' }</style><a href=\"https://example.com/?a=1&amp;b=2\">Go</a>",
            "<a href='shop://x' data-belfry-button=\"buy\">Buy</a><button data-belfry-close>x</button>",
            "<img src=\"https://example.com/a.png\" alt=\"javascript: a language\">",
            "<img src='data:image/png;base64,AA'><img srcset='https://a.b/1.png 1x, https://a.b/2.png 2x'>",
            "<svg><use xlink:href=\"#a\"/></svg><!-- a comment --><p title=\"on time\">once</p>",
            "<p>{{#vip}}<b>{{city}}</b>{{/vip}}{{^vip}}Hi{{/vip}}</p><a href=\"https://a.b/{{city}}\">x</a>",
            "<a href=\"https://a.b/?x=1&{{city}}=2&y={{city}}#{{link}}\">x</a><p title=\"Q&amp;A {{city}}\">x</p>",
            "<p title=\"{{#vip}}gold{{/vip}}\">x</p><meta charset=utf-8><meta name=viewport content=a>",
            "<a href=\"{{#vip}}https://a.b/{{/vip}}{{^vip}}https://c.d/{{/vip}}{{city}}\">x</a>",
            "<p {{#vip}}class=\"gold\" {{/vip}}title='{{city}}'><input {{#vip}}checked{{/vip}}>",
            "<style>{{#vip}}a{background:url(\"https://a.b/x.png\")}{{/vip}}</style><p style=\"{{#vip}}top:0{{/vip}}\">",
            "<title>{{city}} < 3</title><textarea><b>{{city}}</b></textarea><!doctype html><?xml?>{{city}}",
            "<div {{! of the tag }}class=a><scr{{! }}een>x</scr{{! }}een><style>a{scroll-behavior:smooth}</style>",
            "<style>@font-face{src:url(data:font/woff2;base64,AA)} @import url(https://a.b/c.css);</style>",
            "<style>/* a */@import url(https://a.b/c.css?d=E:wght@4;7);a{b:url(data:image/png;base64,AA)}</style>",
            "<style>/* javascript: see docs */</style><p style=\"content:'a: b'\">",
            "<style>a{b:url(\"data:image/svg+xml,<svg xmlns='http://a.b/svg'><path d='M0'/></svg>\")}</style>"
                + "<style>p>b{c:url(\"data:image/svg+xml,<svg xmlns='http://a.b/svg'></svg>\")}</style>{{city}}",
            "<style><!-- a > b { color: red } --></style><title>I <3 {{city}}</title><p title=\"{{city}}\">",
            "<style>/*<![CDATA[*/ a > b { color: red } /*]]>*/</style><p title=\"{{city}}\">",
            "<table><colgroup><col><col></colgroup><tr><td><select><option>{{city}}</select></table>",
            "<a href='https://a.b/?a=1&lt=2&quot=3&ampx=4&gt'>x</a>",
        ]
        for page in pages {
            let composed = ComposedHTML(html: page, policy: policy)
            #expect(composed.errors == [], "\(page)")
        }
    }

    @Test(
        "IAM-12, SEC-4: script is refused in any spelling",
        arguments: [
            "<script>alert(1)</script>", "<SCRIPT src=x>", "<script/x>", "<svg><script>1", "<svg:script>",
            "<img src=x onerror=alert(1)>", "<img src=x OnError = 'alert(1)'>", "<img/onload=1>",
            "<p a=\"b\"onclick=1>", "<p onclick>", "<p onclick",
            "<body onload\n=\n1>", "<svg><style><img src=x onerror=1></style>", "<select><title><img onerror=1>",
            "<style><!--</style><img src=x onerror=1>-->", "<p '<b onclick=1>", "<noscript><img onerror=1></noscript>",
            "<svg><title><img onerror=1></title>", "<math><textarea><p onclick=1>",
            "<s{{!}}vg><xmp><img onerror=1></xmp>",
            "<noscript><p title=\"</noscript><img onerror=1>\">", "<svg><![CDATA[><img onerror=1>]]>",
            "<!--><img onerror=1>-->", "<!---><img onerror=1>-->", "<!-- --!><img onerror=1>-->",
            "<a href=javascript:1>", "<a href=' JavaScript:1'>", "<a href=\"java\tscript:1\">",
            "<a href='jav&#x0A;ascript:1'>", "<a href='&#0000000000000000000000000000000000106;avascript:1'>",
            "<a href=&#106;avascript:1>", "<a href=&#x6A;avascript:1>", "<a href='javascript&colon;1'>",
            "<a href=&#106avascript:1>", "<a href='\u{1}javascript:1'>", "<a href=javascript&#58",
            "<a href=\"&Tab;javascript:1\">", "<form action=vbscript:1>", "<svg><a xlink:href=javascript:1>",
            "<svg><animate attributeName=href values='#;javascript:1'>", "<svg><set to=javascript:1>",
            "<p style='x:expression(1)'>", "<p style='x:expr\\65 ssion(1)'>",
            "<style>a{b:url('java\\73 cript:1')}</style>",
            "<svg><style>a{b:url(java<!-- -->script:1)}</style>", "<p style='b:url(&#106;avascript:1)'>",
        ])
    func script(html: String) {
        #expect(codes(html).contains("scriptNotAllowed"), "\(html)")
        #expect(!codes(html, scripts: true).contains("scriptNotAllowed"), "\(html)")
        #expect(richCodes(html).contains("scriptNotAllowed"), "\(html)")
    }

    /// What stands around an element decides whether its text is text: each of these a browser leaves out in one of the
    /// places, or takes for an element like all others.
    @Test(
        "IAM-12, SEC-4: text of an element that a browser may read as markup is refused, anywhere",
        arguments: [
            "", "<template>", "<template><col>", "<template><tr>", "<table><colgroup>", "<table><caption>",
            "<table><tr>",
            "<select>", "<select><option>", "<frameset>", "<frameset></frameset>", "<head></head>", "</body></html>",
            "<svg>", "<svg><desc>", "<math><mi>", "<math><annotation-xml>", "<head><noscript>", "<form><form>", "</br>",
            "</p>", "<b><table><a>", "<button><button>", "<svg><template><col>",
        ])
    func textOrMarkup(place: String) {
        let names = ["style", "title", "textarea", "xmp", "noembed", "noframes", "plaintext", "iframe", "noscript"]
        for name in names {
            for harm in ["<script>alert(1)</script>", "<img onerror=1>", "<a href=javascript:1>"] {
                for html in ["\(place)<\(name)></template>\(harm)", "\(place)<\(name)>\(harm)</\(name)>"] {
                    for policy in Self.policies {
                        let codes = ComposedHTML(html: html, policy: policy).codes
                        #expect(codes.contains("scriptNotAllowed"), "\(html): \(codes)")
                    }
                }
                // If one of two ends is in a quote, the two readings differ.
                guard name != "plaintext" else { continue }
                let hidden = "\(place)<\(name)><p title=\"</\(name)>\(harm)\">"
                #expect(codes(hidden).contains("scriptNotAllowed"), "\(hidden)")
            }
        }
        #expect(richCodes("\(place)<![CDATA[><img onerror=1>]]>").contains("scriptNotAllowed"))
        #expect(richCodes("\(place)<![CDATA[ x ]]><img onerror=1>").contains("scriptNotAllowed"))
    }

    @Test(
        "SEC-4: elements whose text is markup in some places only are refused, whatever the app allows",
        arguments: [
            "noembed", "noframes", "plaintext", "template", "xmp", "frameset", "math", "mglyph", "annotation-xml",
        ]
    )
    func ambiguous(name: String) {
        for html in ["<\(name)>", "<\(name.uppercased())/>", "<\(name){{! }} a>x</\(name)>"] {
            #expect(codes(html) == ["notAllowed"] && codes(html, scripts: true) == ["notAllowed"], "\(html)")
            #expect(richCodes(html) == ["notAllowed"], "\(html)")
        }
    }

    @Test(
        "SEC-4: what becomes markup only after a page has written it out and read it again is refused with its <math>")
    func mutation() {
        let html =
            "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">"
        for policy in Self.policies {
            #expect(Set(ComposedHTML(html: html, policy: policy).codes) == ["notAllowed"])
        }
    }

    @Test("IAM-12, SEC-4: other pages, and addresses that reach into the device, are refused whatever the app allows")
    func foreign() {
        let rejected: [(String, String)] = [
            ("<iframe src=https://a.b>", "notAllowed"), ("<IFRAME srcdoc='x'>", "notAllowed"),
            ("<object data=https://a.b>", "notAllowed"), ("<embed src=a>", "notAllowed"),
            ("<base href=https://a.b>", "notAllowed"), ("<meta HTTP-EQUIV=refresh content=0>", "notAllowed"),
            ("<meta content='0;url=https://a.b' http-equiv='re&#102;resh'>", "notAllowed"),
            ("<a href=file:///etc/passwd>", "schemeNotAllowed"), ("<a href='data:text/html,x'>", "schemeNotAllowed"),
            ("<a href=blob:x>", "schemeNotAllowed"), ("<img src='data:text/html,x'>", "schemeNotAllowed"),
            ("<a href='data:image/svg+xml,<svg onload=1>'>", "schemeNotAllowed"),
            ("<a href='data:'>", "schemeNotAllowed"),
            ("<img srcset='https://a.b 1x,file:///x 2x'>", "schemeNotAllowed"),
            ("<p style='background:url( \"file:///x\")'>", "schemeNotAllowed"),
            ("<style>@import url(data:text/css,a{});</style>", "schemeNotAllowed"),
            ("<style>@imp\\6Frt \"file:///x\";</style>", "schemeNotAllowed"),
            ("<style>@import/**/\"data:text/css,a{}\";</style>", "schemeNotAllowed"),
            ("<style>@import/*;*/url(data:text/css,a{});</style>", "schemeNotAllowed"),
            ("<style>@import/*\\2a/;*/'data:text/css,a{}';</style>", "schemeNotAllowed"),
            ("<style>@import '/*';@import/*/;*/'data:text/css,a{}';</style>", "schemeNotAllowed"),
            ("<p style='a:image-set(/**/\"file:///x\" 1x)'>", "schemeNotAllowed"),
            ("<style>p{a:image-set(\"a.png\" 1x, \"file:///x\" 2x)}</style>", "schemeNotAllowed"),
            ("<p style=\"background:url(&quot file:///etc/x&quot)\">", "schemeNotAllowed"),
            ("<svg><style>a{b:url(&quotfile:///x&quot)}</style>", "schemeNotAllowed"),
        ]
        for (html, code) in rejected {
            #expect(codes(html).contains(code), "\(html)")
            #expect(codes(html, scripts: true).contains(code), "\(html)")
            #expect(richCodes(html).contains(code), "\(html)")
        }
        #expect(codes("<a href=javascript:1>", scripts: true) == ["schemeNotAllowed"])
    }

    @Test("SEC-4: rich content may declare its content type, an in-app message may not")
    func equivalents() {
        for word in ["Content-Type", "cache-control", "pragma", "expires", "cleartype", "x-dns-prefetch-control"] {
            let page = "<meta http-equiv='\(word)' content='text/html; charset=utf-8'>"
            #expect(richCodes(page) == [] && codes(page) == ["notAllowed"], "\(word)")
        }
        for word in ["set-cookie", "refresh{{!}}", "{{#vip}}refresh{{/vip}}", "ref{{! }}resh", ""] {
            #expect(Set(richCodes("<meta http-equiv='\(word)'>")) == ["notAllowed"], "\(word)")
        }
        for page in ["<meta http-equiv='{{city}}'>", "<meta name=description content=\"{{city}}\">"] {
            #expect(richCodes(page).contains("unsafePlace"))
        }
        // Truncating a long word, or one beyond ASCII, does not turn it into another word.
        for front in ["", "&#233;"] {
            let word = front + String(repeating: "x", count: 100)
            #expect(richCodes("<meta http-equiv='\(word){{! }}refresh'>") == ["notAllowed"])
        }
    }

    @Test(
        "SEC-4: rich content follows the rules of in-app HTML, by what its template renders",
        arguments: [
            ("<a href=\"{{^city}}https://x/{{/city}}{{firstName}}\">x</a>", "unsafePlace"),
            ("<iframe src=\"{{^city}}https://x/{{/city}}{{firstName}}\"></iframe>", "notAllowed"),
            ("<form action=\"{{^city}}https://x/{{/city}}{{firstName}}\">", "unsafePlace"),
            ("<meta http-equiv=refresh content=\"0;url={{^city}}https://x/{{/city}}{{firstName}}\">", "unsafePlace"),
            ("<scr{{!c}}ipt>alert(1)</scr{{!c}}ipt>", "scriptNotAllowed"),
            ("<sty{{!c}}le>a{color:{{city}}}</style>", "unsafePlace"),
            ("<sty{{!c}}le>a{b:url(javascript:1)}</style>", "scriptNotAllowed"),
        ])
    func finding(html: String, code: String) {
        for policy in Self.policies { #expect(ComposedHTML(html: html, policy: policy).codes.contains(code)) }
    }

    @Test(
        "CAMP-4, IAM-12, SEC-4: a template's tags combine to no name, scheme or tag that was not checked",
        arguments: [
            ("<{{!x}}script>", "scriptNotAllowed"), ("<scr{{#vip}}foo{{/vip}}ipt>", "unsafePlace"),
            ("<p {{#vip}}onclick{{/vip}}=1>", "scriptNotAllowed"), ("<p on{{!x}}click=1>", "scriptNotAllowed"),
            ("<p title=\"{{#vip}}\" b='{{/vip}}\" onclick=\"1\" c='d'>", "unsafePlace"),
            ("<p {{city}}>", "unsafePlace"), ("<p {{#vip}}a{{/vip}}{{#city}}b{{/city}}>", "unsafePlace"),
            ("<a href=\"{{#vip}}java{{/vip}}script:1\">", "scriptNotAllowed"),
            ("<a href='java{{!x}}script:1'>", "scriptNotAllowed"), ("{{#vip}}<p title=\"{{/vip}}\">", "unsafePlace"),
            ("<a href='{{^vip}}#{{/vip}}javascript:1'>", "scriptNotAllowed"),
            ("<a href=\"&#x{{!c}}6a;avascript:1\">", "scriptNotAllowed"),
            ("<a href=\"&#x{{#vip}}6a{{/vip}};avascript:1\">", "scriptNotAllowed"),
            ("<svg><a><animate attributeName=href to=\"java{{!c}}script:1\"/></a></svg>", "scriptNotAllowed"),
            (
                "<svg><a><animate attributeName=href values=\"#;java{{#vip}}{{/vip}}script:1\"/></a></svg>",
                "scriptNotAllowed"
            ),
            ("<animate attributeName=href values=\"#;https://x/{{city}}\">", "unsafePlace"),
            ("<svg><set to=\"&{{!c}}#x6a;avascript:1\">", "scriptNotAllowed"),
            ("{{#vip}}<!--{{/vip}} x -->", "unsafePlace"),
            ("{{#vip}}<style>{{/vip}}a{}", "unsafePlace"), ("<style>{{#vip}}</style>{{/vip}}</style>", "unsafePlace"),
            ("<style>a{{#vip}}</sty{{/vip}}le>", "unsafePlace"), ("<!-- {{#vip}}--{{/vip}}> <b> -->", "unsafePlace"),
            ("{{^vip}}<p a='{{/vip}}{{#vip}}<p a=\"{{/vip}}x\">", "unsafePlace"),
            ("<{{#vip}}b{{/vip}}r>", "unsafePlace"),
            ("<p style=\"{{#vip}}x:expr{{/vip}}ession(1)\">", "scriptNotAllowed"),
            ("<p style=\"x:expr{{! }}ession(1)\">", "scriptNotAllowed"), ("<title></ti{{city}}tle>", "unsafePlace"),
            ("<a href=\"{{#vip}}https:{{/vip}}{{city}}\">", "unsafePlace"), ("<a href=\" \n{{city}}\">", "unsafePlace"),
            ("<a href=\"shop{{city}}\">", "unsafePlace"), ("<a href=\"&#106;{{city}}\">", "unsafePlace"),
            ("<a href=\"&#106{{city}}\">", "unsafePlace"), ("<img src=\"data:image/{{city}}\">", "unsafePlace"),
            ("<img srcset=\"https://a.b/{{city}} 2x\">", "unsafePlace"), ("<svg><style>{{city}}", "unsafePlace"),
            ("<![CDATA[{{city}}>", "unsafePlace"), ("<!doctype {{city}}>", "unsafePlace"),
        ])
    func templates(html: String, code: String) {
        for policy in Self.policies {
            let found = ComposedHTML(html: html, policy: policy).codes
            #expect(found.contains(code), "\(html): \(found)")
        }
    }

    @Test(
        "SEC-4: harmless text and comments that only look dangerous are accepted",
        arguments: [
            "<!-- <script>alert(1)</script> <p onclick=1> -->", "<p title=\"<script>\">", "&lt;script&gt;",
            "<a href=\"&T{{!c}}ab;x\">", "<!-- {{#vip}}a{{/vip}}!>{{city}} -->", "<!--{{#vip}}x{{/vip}}-->{{city}}",
            "<p title=\"&#{{city}}\">", "<a href=\"./java{{! }}script:1\">", "</script>", "<p title='javascript:1'>",
            "<a href=\"//{{city}}\">", "<a href=\"?{{city}}\">", "{{#vip}}<b>{{/vip}}x{{#vip}}</b>{{/vip}}",
        ])
    func harmless(html: String) {
        for policy in Self.policies { #expect(ComposedHTML(html: html, policy: policy).codes == [], "\(html)") }
    }

    @Test(
        "SEC-4: a value may be where its escapes make it text, and nowhere else in HTML",
        arguments: [
            ("<p>{{city}}</p>", true), ("<p title=\"{{city}}\">", true), ("<p title='a {{city}}'>", true),
            ("<!-- {{city}} --><p>{{city}}", true), ("a < b {{city}} > c", true),
            ("<a href=\"https://example.com/{{city}}\">", true), ("<a href='/c/{{city}}'>", true),
            ("<script>f()</script>{{city}}", true), ("<STYLE>a{}</Style >{{city}}", true),
            ("<p>{{#city}}<b>{{city}}</b>{{/city}}", true), ("<p class=a title=\"{{city}}\">", true),
            ("<p title=\"a>b\">{{city}}", true), ("<textarea>{{city}}</textarea>", true),
            ("<script><!-- <script> </script> {{city}}", false),
            ("<script><!-- <script> </script> --></script>{{city}}", true),
            ("<a title=a=\"{{city}}\">", false), ("<a =\"{{city}}\">", false), ("<a/=\"{{city}}\">", false),
            ("<my-element=\"{{city}}\">", false), ("<a href=/\"{{city}}\">", false), ("<a b \"{{city}}\">", false),
            ("<a b = \"{{city}}\">", true), ("<br/>{{city}}", true), ("<a b='1'c='{{city}}'>", true),
            ("<p title={{city}}>", false), ("<p {{city}}>", false), ("<{{city}}>", false),
            ("<{{#city}}{{city}}{{/city}}>", false), ("</p {{city}}>", false),
            ("<script>var a = '{{city}}'</script>", false), ("<ScRiPt type=x>{{city}}", false),
            ("<style>a { color: {{city}} }</style>", false), ("<p onclick=\"f('{{city}}')\">", false),
            ("<p style='color:{{city}}'>", false), ("<a href=\"{{link}}\">", false), ("<a HREF = ' {{link}}'>", false),
            ("<img src=\"{{#city}}{{link}}{{/city}}\">", false), ("<a href='java{{city}}'>", false),
            ("<a href='javascript:f({{city}})'>", false), ("<p title='x'{{city}}>", false),
            ("<script>a</scripty>{{city}}", false), ("<p a='>' b={{city}}>", false),
            ("<iframe srcdoc='{{city}}'>", false), ("<!--><p {{city}}><!-- -->", false),
            ("<!---><script>{{city}}</script><!-- -->", false), ("<!-- a --!><p {{city}}> -->", false),
            ("<!--><p>{{city}}</p>", true), ("<!---><p>{{city}}</p>", true), ("<!-- a --!>{{city}}", true),
            ("<!----><p {{city}}>", false), ("<!---!><p {{city}} > -->", true), ("<!-- > <p {{city}} > -->", true),
            ("<!---!><p {{city}}> -->", false), ("<!-- {{city}}-->{{city}}", true), ("<!-- {{city}}--!>{{city}}", true),
            ("<!--{{city}}><script>{{city}}</script> -->", false), ("<!-- {{city}}-><p> --> {{city}}", false),
            ("<!-- {{city}}!> -->", false), ("<!-- {{#city}}a{{/city}}--!>{{city}}", true),
            ("<plaintext>{{city}}", false),
        ]
    )
    func places(html: String, isSafe: Bool) {
        #expect(codes(html, scripts: true).isEmpty == isSafe, "\(html): \(codes(html, scripts: true))")
    }

    @Test(
        "SEC-7: no combining mark next to a sign hides it",
        arguments: ["\u{0600}", "\u{301}", "\u{200D}", "\u{FE0F}", "\u{110BD}"])
    func marks(mark: String) throws {
        for html in [
            "\(mark)<script>", "<p \(mark)title=\"\"\(mark) onclick=1>", "<p title=\"\(mark)\" onclick=1>",
            "\(mark)<p onclick\(mark)=1>",
            "<a href=\"\"\(mark)href=javascript:1 onclick=1>", "<!--\(mark)--><script>",
            "<style>\(mark)</style\n><script>",
        ] {
            #expect(codes(html).contains("scriptNotAllowed"), "\(html.debugDescription)")
        }
        #expect(codes("<p \(mark){{city}}\(mark)>") == ["unsafePlace"] && codes("<a href='\(mark){{city}}'>") == [])
        #expect(codes("{{\(mark)city}}").contains("undefinedAttribute") && codes("{{{\(mark)city}}}") != [])
        let page = ComposedHTML(
            html: "<p title=\"\(mark){{city}}\(mark)\">\(mark){{#vip}}\(mark)x{{/vip}}\(mark){{city}}",
            policy: .richContent)
        let value = "\(mark)\"\(mark)'\(mark)<\(mark)>\(mark)&\(mark){{\(mark)"
        let made = "\(mark)&quot;\(mark)&#39;\(mark)&lt;\(mark)&gt;\(mark)&amp;\(mark){{\(mark)"
        let expected = "<p title=\"\(mark)\(made)\(mark)\">\(mark)\(mark)x\(mark)\(made)"
        #expect(Array(try page.rendered(["city": value, "vip": "1"]).utf8) == Array(expected.utf8))
        let push = PushContent(
            title: "a", body: "b", action: NotificationAction(type: .openUrl, url: "https://a.b/{{city}}?x={{city}}")
        )
        let template = try ContentTemplate(push, schema: ComposedHTML.schema)
        let url = try template.content(for: ["\(mark)/\(mark)?"]).action?.url ?? ""
        let encoded = mark.utf8.map { "%" + String($0, radix: 16, uppercase: true) }.joined()
        #expect(url == "https://a.b/\(encoded)%2F\(encoded)%3F?x=\(encoded)%2F\(encoded)%3F")
    }

    @Test("ADM-3: an error names the line, each problem once, five at most; the advice fits the message")
    func words() throws {
        let errors = ComposedHTML(html: "<p>\n<p>\n<script>\n<script>").errors
        #expect(errors.count == 1)
        let message = try #require(errors.first?.message)
        #expect(message.hasPrefix("In line 3 there is a <script>") && message.contains("inAppScripts"))
        let rich = try #require(ComposedHTML(html: "<script>", policy: .richContent).errors.first?.message)
        #expect(rich.contains("richUrl") && !rich.contains("inAppScripts"))
        let value = try #require(ComposedHTML(html: "<p>\n{{! x }}\n<p {{city}}>").errors.first?.message)
        #expect(
            value
                == "In line 3 {{city}} is in a tag outside of quotes: a value is only safe between tags and in "
                + "quotes."
        )
        let section = try #require(ComposedHTML(html: "a\n{{#vip}}<p a='{{/vip}}").errors.first?.message)
        #expect(section.hasPrefix("In line 2 the section 'vip' opens or closes a tag"))
        let many = (0..<20).map { "<p on\($0)x=1>" }.joined()
        #expect(codes(many).count == 5)
    }

    @Test("IAM-12, SEC-2: HTML is read in limited time, however odd it is")
    func bounded() {
        #expect(codes(String(repeating: "<a \"", count: 60_000)) == [])
        #expect(codes(String(repeating: "<a>", count: 60_000)) == [])
        let tangled = "<svg><script><title><textarea><xmp><noembed><noframes><noscript><plaintext>"
        let rejected = Array(repeating: "notAllowed", count: 4)
        #expect(codes(tangled, scripts: true) == rejected + ["notReadable"])
        let sections = (0..<12).map { "{{#vip}}\($0)xyz{{/vip}}" }.joined()
        #expect(codes("<p style=\"\(sections)\">") == ["notReadable"])
        #expect(codes("<p class=\"\(sections)\">") == [])
    }
}
