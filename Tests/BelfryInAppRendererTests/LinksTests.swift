import BelfryInAppRenderer
import Testing

struct LinksTests {
    @Test(
        "IAM-12: links are opened by an allow-list of schemes",
        arguments: ["https://example.com/a?b=c#d", "HTTP://example.com", "mailto:a@example.com", "tel:+4912", "sms:12"]
    )
    func permitted(url: String) {
        #expect(InAppLinks.permits(url, schemes: InAppLinks.standardSchemes))
        #expect(!InAppLinks.permits(url, schemes: []))
    }

    @Test(
        "IAM-12: javascript, data, file and similar schemes are never opened, whatever the list says",
        arguments: [
            "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,a", "file:///etc/passwd", "blob:a",
            "about:blank",
            "vbscript:a", "view-source:https://a", "filesystem:a", " javascript:a", "java\nscript:a", "", ":", "https:",
            "/path", "//example.com", "1a:b", "https://exämple.com", "https://a b",
        ]
    )
    func rejected(url: String) {
        let all: Set = InAppLinks.refusedSchemes.union(["https", "1a", ""])
        #expect(!InAppLinks.permits(url, schemes: all))
    }

    @Test("IAM-12: an app adds the schemes of its deep links; the length of an address is limited")
    func ownSchemes() {
        #expect(!InAppLinks.permits("shop://offer", schemes: InAppLinks.standardSchemes))
        #expect(InAppLinks.permits("SHOP://offer", schemes: ["shop"]))
        let long = "https://" + String(repeating: "a", count: InAppLinks.maximumBytes - 8)
        #expect(InAppLinks.permits(long, schemes: ["https"]) && !InAppLinks.permits(long + "a", schemes: ["https"]))
    }
}
