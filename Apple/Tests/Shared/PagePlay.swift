import BelfryInAppRenderer
import BelfryModel
import Foundation
import Testing
import WebKit

@testable import Belfry

/// The script of a page, as the stand-in of a web view plays it: it finds the nonce of its own page.
@MainActor
enum PagePlay {
    /// Each page says that it is loaded, and then what is given.
    static func install(_ more: [String] = []) {
        WKWebView.pageScript = { view, html in
            guard let nonce = nonce(in: html) else { return }
            for command in [#""command":"loaded""#] + more { post(command, nonce: nonce, on: view) }
        }
    }

    /// The page of a web view posts a command.
    static func say(_ command: String, on view: WKWebView) {
        guard let nonce = view.html.flatMap(nonce) else { return }
        post(command, nonce: nonce, on: view)
    }

    static func post(_ command: String, nonce: String, on view: WKWebView, fromMainFrame: Bool = true) {
        view.post(#"{"nonce":"\#(nonce)",\#(command)}"#, to: InAppBridge.handlerName, fromMainFrame: fromMainFrame)
    }

    /// The page's data have it: `"nonce":"…"`.
    static func nonce(in html: String) -> String? {
        guard let start = html.range(of: #""nonce":""#)?.upperBound else { return nil }
        return html[start...].split(separator: #"""#).first.map(String.init)
    }

    /// The web views that are in a window.
    static var shown: [WKWebView] { WKWebView.all.compactMap(\.view).filter { $0.window != nil } }
}

/// A web view that nobody is to hold any more.
@MainActor
struct FormerView {
    weak var view: WKWebView?
}

extension AppleDevice {
    /// The app with one message for `cart:add` on the device.
    func openInApp(_ change: @Sendable (inout FakeInApp.Campaign) -> Void = { _ in }) async throws {
        try await open()
        await world.server.publish(change)
        try await client.refreshInAppMessages()
    }

    /// The messages that were reported as shown.
    var views: Int {
        get async throws {
            try await client.flush()
            return await world.server.inAppEvents(.inAppViewed).count
        }
    }

    func dismissals() async throws -> [AttributeValue?] {
        try await client.flush()
        return await world.server.inAppEvents(.inAppDismiss).map { $0.attributes["how"] }
    }
}
