import Foundation
import Testing

@testable import Belfry

struct InAppNavigationTests {
    private static let addresses = [
        "https://example.com", "http://example.com", "file:///etc/passwd", "javascript:alert(1)",
        "data:text/html,<p>Hi</p>", "blob:null/1", "about:config", "belfry://close", "",
    ]

    @Test("IAM-12: the page that was given is loaded once; from then on the main frame goes nowhere")
    func page() {
        var rule = InAppNavigation()
        let page = URL(string: "about:blank")
        let first = rule.allows(page, in: .main)
        let second = rule.allows(page, in: .main)
        #expect(first && !second)
    }

    @Test("IAM-12: neither the page nor a frame in it may go anywhere, before or after", arguments: addresses)
    func elsewhere(address: String) {
        for hasBegun in [false, true] {
            var rule = InAppNavigation()
            if hasBegun { _ = rule.allows(URL(string: "about:blank"), in: .main) }
            for frame in [InAppNavigation.Frame.main, .inner, .another] {
                let isAllowed = rule.allows(URL(string: address), in: frame)
                #expect(!isAllowed, "\(address) in \(frame)")
            }
            // What was refused takes nothing away from the page.
            let page = rule.allows(URL(string: "about:blank"), in: .main)
            #expect(page == !hasBegun)
        }
    }

    @Test("IAM-12: a frame in the page shows what the page holds, as often as it likes; a new window shows nothing")
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
