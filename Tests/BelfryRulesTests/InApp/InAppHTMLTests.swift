import BelfryModel
import BelfryRules
import Testing

struct InAppHTMLTests {
    private func codes(_ html: String, scripts: Bool = false) -> [String] {
        InAppHTMLCheck.refusals(of: html, allowsScripts: scripts).map(\.code)
    }

    @Test("IAM-12: a page of ordinary HTML is fine")
    func fine() {
        let pages = [
            "<h1>Sale</h1><p class=\"a\" style='color:red'>1 < 2 & 3 > 2</p>",
            "<style>a > b { color: red }</style><a href=\"https://example.com/?a=1&amp;b=2\">Go</a>",
            "<a href='shop://x' data-belfry-button=\"buy\">Buy</a><button data-belfry-close>x</button>",
            "<img src=\"https://example.com/a.png\" alt=\"javascript is a language\">",
            "<img src='data:image/png;base64,AA'>",
            "<svg><use xlink:href=\"#a\"/></svg><!-- a comment --><p title=\"on time\">once</p>",
            "<p>{{#vip}}<b>{{name}}</b>{{/vip}}{{^vip}}Hi{{/vip}}</p><a href=\"https://a.b/{{city}}\">x</a>",
            "<a href=\"https://a.b/?x=1&{{q}}=2&y={{city}}#{{a}}\">x</a><p title=\"Q&amp;A {{city}}\">x</p>",
            "<p title=\"{{#vip}}gold{{/vip}}\">x</p><meta charset=utf-8><meta name=viewport content=a>",
        ]
        for page in pages { #expect(codes(page) == [], "\(page)") }
    }

    @Test(
        "IAM-12: script is refused however it is written",
        arguments: [
            "<script>alert(1)</script>", "<SCRIPT src=x>", "<script/x>", "<svg><script>1", "<svg:script>",
            "<img src=x onerror=alert(1)>", "<img src=x OnError = 'alert(1)'>", "<img/onload=1>",
            "<p a=\"b\"onclick=1>",
            "<body onload\n=\n1>", "<svg><style><img src=x onerror=1></style>", "<!-- <img onerror=1> -->",
            "<style><!--</style><img src=x onerror=1>-->", "<a title=\"<img onerror=1>\">", "<p '<b onclick=1>",
            "<a href=javascript:1>", "<a href=' JavaScript:1'>", "<a href=\"java\tscript:1\">",
            "<a href='jav&#x0A;ascript:1'>",
            "<a href=&#106;avascript:1>", "<a href=&#x6A;avascript:1>", "<a href='javascript&colon;1'>",
            "<a href=\"&Tab;javascript:1\">", "<form action=vbscript:1>", "<svg><a xlink:href=javascript:1>",
            "<svg><animate attributeName=href values='#;javascript:1'>", "<svg><set to=javascript:1>",
        ])
    func script(html: String) {
        #expect(codes(html).contains("scriptNotAllowed"), "\(html)")
        #expect(!codes(html, scripts: true).contains("scriptNotAllowed"), "\(html)")
    }

    @Test("IAM-12: other pages, and addresses that reach into the device, are refused whatever the app allows")
    func foreign() {
        let refused: [(String, String)] = [
            ("<iframe src=https://a.b>", "notAllowed"), ("<IFRAME srcdoc='x'>", "notAllowed"),
            ("<object data=https://a.b>", "notAllowed"), ("<embed src=a>", "notAllowed"),
            ("<base href=https://a.b>", "notAllowed"), ("<meta HTTP-EQUIV=refresh content=0>", "notAllowed"),
            ("<a href=file:///etc/passwd>", "schemeNotAllowed"), ("<a href='data:text/html,x'>", "schemeNotAllowed"),
            ("<a href=blob:x>", "schemeNotAllowed"), ("<img src='data:text/html,x'>", "schemeNotAllowed"),
        ]
        for (html, code) in refused {
            #expect(codes(html).contains(code), "\(html)")
            #expect(codes(html, scripts: true).contains(code), "\(html)")
        }
        #expect(codes("<a href=javascript:1>", scripts: true) == ["schemeNotAllowed"])
    }

    @Test(
        "CAMP-4, IAM-12: a template cannot make an element that was not there when it was checked",
        arguments: [
            "<scr{{!x}}ipt>", "<{{!x}}script>", "<scr{{#a}}foo{{/a}}ipt>", "<p {{#a}}onclick{{/a}}=1>",
            "<p title=\"{{#a}}\" b='{{/a}}\" onclick=\"1\" c='d'>", "<p title=\"{{/a}}\">", "<p {{a}}>",
            "<a href=\"{{#a}}java{{/a}}script:1\">", "<a href='java{{!x}}script:1'>", "<p on{{!x}}click=1>",
            "{{#a}}<p title=\"{{/a}}\">", "<a href='{{^a}}#{{/a}}javascript:1'>",
            "<a href=\"&#x{{!c}}6a;avascript:1\">", "<a href=\"&#x{{#city}}6a{{/city}};avascript:1\">",
            "<svg><a><animate attributeName=href to=\"java{{!c}}script:1\"/></a></svg>",
            "<svg><a><animate attributeName=href values=\"#;java{{#a}}{{/a}}script:1\"/></a></svg>",
            "<svg><set to=\"&{{!c}}#x6a;avascript:1\">", "<p title=\"&#{{city}}\">", "<a href=\"&T{{!c}}ab;x\">",
        ])
    func templates(html: String) {
        #expect(codes(html).contains("unsafePlace"), "\(html)")
    }

    @Test("ADM-3: the line of what is refused is named, each thing once, five at most")
    func words() throws {
        let refusals = InAppHTMLCheck.refusals(of: "<p>\n<p>\n<script>\n<script>", allowsScripts: false)
        #expect(refusals.count == 1)
        let message = try #require(refusals.first?.message)
        #expect(message.hasPrefix("In line 3 <script> stands") && message.contains("inAppScripts"))
        let many = (0..<20).map { "<p on\($0)x=1>" }.joined()
        #expect(codes(many).count == 5)
    }

    @Test("IAM-12: HTML whose tags never end is not read again and again: it is refused")
    func endless() {
        #expect(codes(String(repeating: "<a \"", count: 60_000)) == ["notReadable"])
        #expect(codes(String(repeating: "<a>", count: 60_000)) == [])
    }
}
