import BelfryModel
import Foundation
import SwiftUI
import Testing
import UIKit
import WebKit

@testable import Belfry

extension AppleAdapters {
    /// Inline messages in the app's own views (IAM-12).
    @MainActor
    struct InlineViewTests {
        private func device() async throws -> (AppleDevice, UIWindow) {
            let device = try AppleDevice()
            PagePlay.install([#""command":"resized","height":80"#])
            try await device.openInApp { campaign in
                campaign.type = "inline"
                campaign.trigger = nil
                campaign.viewID = "Home"
                campaign.displayLimit = 2
            }
            let scene = try #require(UIApplication.shared.connectedScenes.first as? UIWindowScene)
            let window = UIWindow(windowScene: scene)
            window.makeKeyAndVisible()
            return (device, window)
        }

        @Test(
            "IAM-12: a view in a window shows its message, as high as the page says, and counts it; without one it gives it up"
        )
        func view() async throws {
            let (device, window) = try await device()
            let view = BelfryInlineMessageView(viewID: "home", client: device.client)
            view.frame = CGRect(x: 0, y: 0, width: 390, height: 0)
            var heights: [CGFloat] = []
            view.heightChanged = { heights.append($0) }
            #expect(BelfryInlineMessageView(coder: NSCoder()) == nil)
            window.addSubview(view)
            await happens("it is shown") { heights == [80] }
            #expect(view.intrinsicContentSize == CGSize(width: UIView.noIntrinsicMetric, height: 80))
            try await happens("it is counted") { try await device.views == 1 }
            view.frame.size.height = 80
            window.layoutIfNeeded()
            #expect(PagePlay.shown.first?.frame == CGRect(x: 0, y: 0, width: 390, height: 80))
            view.removeFromSuperview()
            try await happens("it is given up") { try await device.dismissals().count == 1 }
            #expect(heights == [80, 0] && PagePlay.shown.isEmpty)
            _ = await device.end()
        }

        @Test("IAM-12: the page closes it, another place has another message, and a recall takes it away")
        func ends() async throws {
            let (device, window) = try await device()
            let view = BelfryInlineMessageView(viewID: "elsewhere", client: device.client)
            window.addSubview(view)
            await device.client.waitUntilIdle()
            #expect(PagePlay.shown.isEmpty)
            view.viewID = "HOME"
            await happens("it is shown") { view.intrinsicContentSize.height == 80 }
            try await happens("it is counted") { try await device.views == 1 }
            await device.world.server.recall(1)
            try await device.client.refreshInAppMessages()
            await happens("it is gone") { view.intrinsicContentSize.height == 0 }
            await device.world.server.publish { campaign in
                campaign.type = "inline"
                campaign.trigger = nil
                campaign.viewID = "Home"
            }
            try await device.client.refreshInAppMessages()
            await happens("the next one comes") { view.intrinsicContentSize.height == 80 }
            try await happens("it is counted") { try await device.views == 2 }
            PagePlay.say(#""command":"close","how":"close""#, on: try #require(PagePlay.shown.first))
            await happens("it is gone") { view.intrinsicContentSize.height == 0 }
            _ = await device.end()
        }

        @Test("IAM-12: in SwiftUI the view is as high as its message, and empty when the page is lost")
        func swiftUI() async throws {
            let (device, window) = try await device()
            let host = UIHostingController(rootView: BelfryInlineMessage(viewID: "home", client: device.client))
            window.rootViewController = host
            await happens("it is shown") { host.view.subviews.first?.frame.height == 80 }
            try #require(PagePlay.shown.first).terminateProcess()
            await happens("it is empty") { host.view.subviews.first?.frame.height == 0 }
            _ = await device.end()
        }
    }
}
