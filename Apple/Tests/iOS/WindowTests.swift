import BelfryModel
import Foundation
import Testing
import UIKit
import WebKit

@testable import Belfry

extension AppleAdapters {
    /// In-app messages in a window over the app's own (IAM-8, IAM-12, IAM-14).
    @MainActor
    struct WindowTests {
        private var scene: UIWindowScene? { UIApplication.shared.connectedScenes.first as? UIWindowScene }

        /// The app's own window, with the keyboard.
        private func makeAppWindow() throws -> UIWindow {
            let window = UIWindow(windowScene: try #require(scene))
            window.rootViewController = UIViewController(nibName: nil, bundle: nil)
            window.makeKeyAndVisible()
            return window
        }

        private func shown() throws -> (view: WKWebView, window: UIWindow) {
            let view = try #require(PagePlay.shown.first)
            return (view, try #require(view.window))
        }

        @Test(
            "IAM-8, IAM-12: a page loads behind the app, comes in front, counts once, and leaves nothing when it is closed"
        )
        func modal() async throws {
            let device = try AppleDevice()
            try await device.openInApp()
            let app = try makeAppWindow()
            // The page waits with its images: it is not visible yet.
            try await device.client.track("cart:add")
            await happens("it is loaded") { PagePlay.shown.first?.html != nil }
            let former = try await seen(on: device, over: app)
            #expect(scene?.windows == [app] && app.isKeyWindow, "the app has the keyboard again")
            #expect(try await device.dismissals() == ["swipe"])
            await happens("the web view is released") { former.view == nil }
            #expect(UIAccessibility.posts.map(\.notification) == [.screenChanged, .screenChanged])
            _ = await device.end()
        }

        /// What the person sees of a modal message, from its load to a swipe; nothing here holds the web view afterwards.
        private func seen(on device: AppleDevice, over app: UIWindow) async throws -> FormerView {
            let (view, window) = try shown()
            #expect(scene?.visibleWindows == [app, window] && window.accessibilityElementsHidden)
            #expect(try await device.views == 0)
            PagePlay.say(#""command":"loaded""#, on: view)
            await device.client.waitUntilIdle()
            #expect(scene?.visibleWindows == [window, app] && window.isKeyWindow)
            #expect(window.accessibilityViewIsModal && !window.accessibilityElementsHidden)
            #expect(try await device.views == 1)
            #expect(!view.configuration.websiteDataStore.isPersistent && !view.isOpaque)
            // Not the page's nonce, and not its main frame.
            PagePlay.post(#""command":"close","how":"button""#, nonce: "other", on: view)
            let nonce = try #require(view.html.flatMap(PagePlay.nonce))
            PagePlay.post(#""command":"close","how":"button""#, nonce: nonce, on: view, fromMainFrame: false)
            await device.client.waitUntilIdle()
            #expect(PagePlay.shown.count == 1)
            PagePlay.say(#""command":"close","how":"swipe""#, on: view)
            await happens("it is gone") { PagePlay.shown.isEmpty }
            #expect(view.configuration.userContentController.handlers.isEmpty)
            return FormerView(view: view)
        }

        @Test("IAM-12: the page navigates nowhere, and an inner frame shows only the page's own content")
        func navigation() async throws {
            let device = try AppleDevice()
            PagePlay.install()
            try await device.openInApp()
            try await device.client.track("cart:add")
            await happens("it is shown") { PagePlay.shown.first?.html != nil }
            let view = try shown().view
            #expect(await !view.navigate(to: "https://example.com", in: .main))
            #expect(await !view.navigate(to: "about:blank", in: .main), "once is enough")
            #expect(await !view.navigate(to: "about:blank", in: .newWindow))
            #expect(await !view.navigate(to: "https://example.com", in: .inner))
            #expect(await view.navigate(to: "about:srcdoc", in: .inner))
            _ = await device.end()
        }

        @Test("IAM-12, IAM-14: a banner leaves the keyboard and the touches beside it to the app, and is announced")
        func banner() async throws {
            let device = try AppleDevice()
            PagePlay.install([#""command":"resized","height":120"#])
            try await device.openInApp { $0.type = "bannerBottom" }
            let app = try makeAppWindow()
            try await device.client.track("cart:add")
            await happens("it is shown") {
                scene?.visibleWindows.count == 2 && scene?.visibleWindows.last === app
            }
            let (view, window) = try shown()
            await device.client.waitUntilIdle()
            window.layoutIfNeeded()
            #expect(view.frame == CGRect(x: 0, y: 724, width: 390, height: 120))
            #expect(app.isKeyWindow && !window.accessibilityViewIsModal)
            #expect(window.point(inside: CGPoint(x: 10, y: 800), with: nil))
            #expect(!window.point(inside: CGPoint(x: 10, y: 100), with: nil))
            #expect(UIAccessibility.posts.last?.text == "Hello. World")
            _ = await device.end()
        }

        @Test("IAM-14: the gesture by which VoiceOver closes an element closes the message; rotation follows the app")
        func escape() async throws {
            let device = try AppleDevice()
            PagePlay.install()
            try await device.openInApp()
            _ = try makeAppWindow()
            try await device.client.track("cart:add")
            await device.client.waitUntilIdle()
            let controller = try #require(try shown().window.rootViewController)
            #expect(controller.supportedInterfaceOrientations == .allButUpsideDown)
            #expect(controller.preferredStatusBarStyle == .default && !controller.prefersStatusBarHidden)
            #expect(controller.accessibilityPerformEscape())
            await happens("it is gone") { PagePlay.shown.isEmpty }
            #expect(try await device.dismissals() == ["close"])
            _ = await device.end()
        }

        @Test("IAM-8: without a screen nothing is shown or counted; it is tried again when the app is in front")
        func noScreen() async throws {
            let device = try AppleDevice()
            PagePlay.install()
            try await device.openInApp()
            UIApplication.shared.resignActive()
            try await device.client.track("cart:add")
            await device.client.waitUntilIdle()
            #expect(PagePlay.shown.isEmpty)
            #expect(try await device.views == 0)
            try await device.comeBack()
            await happens("it is shown") { !PagePlay.shown.isEmpty }
            #expect(try await device.views == 1)
            _ = await device.end()
        }

        @Test("IAM-8: a message whose app leaves while its page loads is not seen, and comes later")
        func leftMeanwhile() async throws {
            let device = try AppleDevice()
            try await device.openInApp()
            try await device.client.track("cart:add")
            await happens("it is loaded") { PagePlay.shown.first?.html != nil }
            UIApplication.shared.resignActive()
            PagePlay.say(#""command":"loaded""#, on: try shown().view)
            await device.client.waitUntilIdle()
            #expect(try await device.views == 0)
            PagePlay.install()
            try await device.comeBack()
            await happens("it is shown") { !PagePlay.shown.isEmpty }
            #expect(try await device.views == 1)
            _ = await device.end()
        }

        @Test(
            "IAM-9: a message that goes with its scene, or whose process the system ends, has ended",
            arguments: [true, false])
        func lost(withScene: Bool) async throws {
            let device = try AppleDevice()
            PagePlay.install()
            try await device.openInApp()
            try await device.client.track("cart:add")
            await device.client.waitUntilIdle()
            #expect(try await device.views == 1)
            if withScene { scene?.disconnect() } else { try shown().view.terminateProcess() }
            await happens("it is gone") { PagePlay.shown.isEmpty }
            #expect(try await device.dismissals() == ["replaced"])
            _ = await device.end()
        }

        @Test("IAM-8: a page whose load fails, or whose process dies first, is neither shown nor counted")
        func failedLoad() async throws {
            let device = try AppleDevice()
            try await device.openInApp()
            try await device.client.track("cart:add")
            await happens("it is loaded") { PagePlay.shown.first?.html != nil }
            let view = try shown().view
            view.fail(first: false)
            #expect(PagePlay.shown.count == 1, "another navigation's failure is not the page's")
            view.fail(first: true)
            await happens("it is given up") { PagePlay.shown.isEmpty }
            #expect(try await device.views == 0)
            _ = await device.end()
        }
    }
}
