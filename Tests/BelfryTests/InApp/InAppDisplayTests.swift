import BelfryInAppRenderer
import BelfryModel
import Testing

@testable import Belfry

struct InAppDisplayTests {
    private func page(_ nonce: String) -> InAppDisplay {
        let message = InAppMessage(id: "m", campaignID: "1", type: .html, content: InAppContent(html: "<p>Hi</p>"))
        return InAppDisplay(message: message, html: "<p>Hi</p>", nonce: nonce, linkSchemes: ["https"])
    }

    private func posted(_ command: String, _ more: String = "", nonce: String = "right") -> String {
        #"{"nonce":"\#(nonce)","command":"\#(command)"\#(more)}"#
    }

    @Test("IAM-12: only commands with the page's own nonce are accepted")
    func nonce() {
        let page = page("right")
        #expect(page.command(posted: posted("loaded")) == .loaded)
        for nonce in ["wrong", "", "Right", "right "] {
            #expect(page.command(posted: posted("loaded", nonce: nonce)) == nil, "\(nonce)")
        }
        #expect(page.command(posted: #"{"command":"loaded"}"#) == nil)
    }

    @Test("IAM-12: an invalid command has no effect")
    func nonsense() {
        let bodies: [Any] = ["", "[]", "null", "loaded", posted("explode"), 7, [String](), ["command": "loaded"]]
        for body in bodies {
            #expect(page("right").command(posted: body) == nil, "\(body)")
        }
    }

    @Test("IAM-12: a page opens only links of the allowed schemes")
    func links() {
        let page = page("right")
        #expect(page.command(posted: posted("openLink", #","url":"https://example.com""#)) != nil)
        for url in ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "http://example.com", "/here"] {
            #expect(page.command(posted: posted("openLink", #","url":"\#(url)""#)) == nil, "\(url)")
        }
    }
}
