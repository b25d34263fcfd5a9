import AppKit
import BelfryModel
import Foundation
import Testing
import WebKit

@testable import Belfry

extension AppleAdapters {
    /// In-app messages in a panel over the app's main window (IAM-17).
    @MainActor
    struct PanelTests {
        private func makeWindow() -> NSWindow {
            let window = NSWindow(
                contentRect: NSRect(x: 100, y: 200, width: 800, height: 600), styleMask: [.titled, .resizable],
                backing: .buffered, defer: false
            )
            window.makeKeyAndOrderFront(nil)
            return window
        }

        private func panel() throws -> NSWindow {
            try #require(PagePlay.shown.first?.window)
        }

        @Test(
            "IAM-17, IAM-8: a page loads behind the window, comes over its content with the keyboard, and counts once")
        func modal() async throws {
            let device = try AppleDevice()
            try await device.openInApp()
            let window = makeWindow()
            try await device.client.track("cart:add")
            await happens("it is loaded") { PagePlay.shown.first?.html != nil }
            let former = try await seen(on: device, over: window)
            #expect(try await device.dismissals() == ["close"])
            await happens("the web view is released") { former.view == nil }
            #expect(NSAccessibility.posts.map(\.notification) == [.layoutChanged])
            _ = await device.end()
        }

        /// What the person sees of a modal message, from its load to Escape; nothing here holds the web view afterwards.
        private func seen(on device: AppleDevice, over window: NSWindow) async throws -> FormerView {
            let panel = try panel()
            let view = try #require(PagePlay.shown.first)
            #expect(panel.order == .below && panel.ignoresMouseEvents && window.isKeyWindow)
            #expect(try await device.views == 0)
            PagePlay.say(#""command":"loaded""#, on: view)
            await device.client.waitUntilIdle()
            #expect(panel.order == .above && !panel.ignoresMouseEvents && panel.isKeyWindow)
            #expect(panel.frame == NSRect(x: 100, y: 200, width: 800, height: 600))
            #expect(try await device.views == 1)
            window.setFrame(NSRect(x: 0, y: 0, width: 400, height: 328), display: true)
            #expect(panel.frame == NSRect(x: 0, y: 0, width: 400, height: 300))
            #expect(view.frame.size == CGSize(width: 400, height: 300))
            panel.cancelOperation(nil)
            await happens("it is gone") { PagePlay.shown.isEmpty }
            #expect(window.childWindows?.isEmpty == true && window.isKeyWindow, "the window has the keyboard again")
            return FormerView(view: view)
        }

        @Test(
            "IAM-17, IAM-14: a banner is at its edge, leaves the keyboard to the window, and is announced",
            arguments: [("bannerTop", 680.0), ("bannerBottom", 200.0)])
        func banner(type: String, y: Double) async throws {
            let device = try AppleDevice()
            PagePlay.install([#""command":"resized","height":120"#])
            try await device.openInApp { $0.type = type }
            let window = makeWindow()
            try await device.client.track("cart:add")
            await happens("it is shown") { PagePlay.shown.first?.window?.order == .above }
            await device.client.waitUntilIdle()
            #expect(try panel().frame == NSRect(x: 180, y: y, width: 640, height: 120))
            let canBecomeKey = try panel().canBecomeKey
            #expect(window.isKeyWindow && !canBecomeKey)
            #expect(NSAccessibility.posts.map(\.text) == ["Hello. World"])
            _ = await device.end()
        }

        @Test("IAM-17, IAM-12: a button's address is opened by the system, and the message closes")
        func link() async throws {
            let device = try AppleDevice()
            PagePlay.install()
            try await device.openInApp { campaign in
                campaign.content = #"""
                    {"title":"Hi","buttons":[{"id":"go","text":"Go",
                    "action":{"type":"openUrl","url":"https://example.com"}}]}
                    """#
            }
            _ = makeWindow()
            try await device.client.track("cart:add")
            await device.client.waitUntilIdle()
            PagePlay.say(#""command":"click","id":"go""#, on: try #require(PagePlay.shown.first))
            await happens("it is opened") { TheSystem.opened.map(\.absoluteString) == ["https://example.com"] }
            await happens("it is gone") { PagePlay.shown.isEmpty }
            _ = await device.end()
        }

        @Test(
            "IAM-17, IAM-8: without a window, or with a miniaturized one, nothing is counted; it comes when there is one",
            arguments: [true, false])
        func noWindow(isMiniaturized: Bool) async throws {
            let device = try AppleDevice()
            PagePlay.install()
            try await device.openInApp()
            if isMiniaturized { makeWindow().miniaturize(nil) }
            try await device.client.track("cart:add")
            await device.client.waitUntilIdle()
            #expect(PagePlay.shown.isEmpty)
            #expect(try await device.views == 0)
            _ = makeWindow()
            try await device.leave()
            try await device.comeBack()
            await happens("it is shown") { !PagePlay.shown.isEmpty }
            #expect(try await device.views == 1)
            _ = await device.end()
        }

        @Test("IAM-17, IAM-9: a message ends with its window, and with its page's process", arguments: [true, false])
        func lost(withWindow: Bool) async throws {
            let device = try AppleDevice()
            PagePlay.install()
            try await device.openInApp()
            let window = makeWindow()
            try await device.client.track("cart:add")
            await device.client.waitUntilIdle()
            if withWindow { window.close() } else { try #require(PagePlay.shown.first).terminateProcess() }
            await happens("it is gone") { PagePlay.shown.isEmpty }
            #expect(try await device.dismissals() == ["replaced"])
            _ = await device.end()
        }

        @Test("IAM-17: an app that another one covers shows nothing, also when it was left while the page loaded")
        func inactive() async throws {
            let device = try AppleDevice()
            try await device.openInApp()
            _ = makeWindow()
            try await device.client.track("cart:add")
            await happens("it is loaded") { PagePlay.shown.first?.html != nil }
            let view = try #require(PagePlay.shown.first)
            TheSystem.leave()
            PagePlay.say(#""command":"loaded""#, on: view)
            await happens("it is given up") { PagePlay.shown.isEmpty }
            #expect(try await device.views == 0)
            _ = await device.end()
        }
    }

    /// Silent pushes on a Mac (PUSH-7).
    @MainActor
    struct SilentPushTests {
        @Test("PUSH-7: a silent push is recorded once and what waits is sent; another sender's is left alone")
        func silent() async throws {
            let device = try AppleDevice()
            try await device.open()
            try await device.leave()
            let app = NSApplication.shared
            for body in [payload("S-1", title: nil, sync: ["inApp"]), foreignPayload, payload("S-1", title: nil)] {
                app.delegate?.application(app, didReceiveRemoteNotification: body)
            }
            await happens("it is sent") {
                await device.world.server.events.filter { $0.name == "push:received" }.count == 1
            }
            #expect(await device.end().isEmpty)
        }
    }
}
