import Foundation
import Testing

@testable import Belfry

struct InAppNavigationTests {
    private static let addresses = [
        "https://example.com", "http://example.com", "file:///etc/passwd", "javascript:alert(1)",
        "data:text/html,<p>Hi</p>", "blob:null/1", "about:config", "belfry://close", "",
    ]

    @Test("IAM-12: the given page is loaded once; then the main frame does not navigate")
    func page() {
        var rule = InAppNavigation()
        let page = URL(string: "about:blank")
        let first = rule.allows(page, in: .main)
        let second = rule.allows(page, in: .main)
        #expect(first && !second)
    }

    @Test("IAM-12: neither the page nor a frame in it may navigate elsewhere, before or after", arguments: addresses)
    func elsewhere(address: String) {
        for hasBegun in [false, true] {
            var rule = InAppNavigation()
            if hasBegun { _ = rule.allows(URL(string: "about:blank"), in: .main) }
            for frame in [InAppNavigation.Frame.main, .inner, .another] {
                let isAllowed = rule.allows(URL(string: address), in: frame)
                #expect(!isAllowed, "\(address) in \(frame)")
            }
            // A rejected navigation does not affect the page.
            let page = rule.allows(URL(string: "about:blank"), in: .main)
            #expect(page == !hasBegun)
        }
    }

    @Test("IAM-12: a frame in the page may show content of the page any number of times; a new window shows nothing")
    func frames() {
        var rule = InAppNavigation()
        for address in ["about:srcdoc", "about:blank", "about:srcdoc"] {
            let url = URL(string: address)
            let inner = rule.allows(url, in: .inner)
            let another = rule.allows(url, in: .another)
            #expect(inner && !another)
        }
    }
}
