import BelfryModel
import Foundation
import Testing
import UserNotifications

@testable import Belfry
@testable import BelfryNotificationService

extension AppleAdapters {
    /// The class of a notification service extension, over the folder that it shares with the app (PUSH-8).
    @MainActor
    struct ServiceExtensionTests {
        private final class ShopService: BelfryNotificationServiceExtension {
            private let group: URL
            private let hides: Bool

            init(_ group: URL, hides: Bool = false) {
                self.group = group
                self.hides = hides
                super.init()
            }

            override var settings: NotificationServiceSettings {
                var settings = NotificationServiceSettings(appCode: "shop", appGroupDirectory: group)
                settings.hidesPushesOfFormerPersons = hides
                return settings
            }
        }

        private let group = FileManager.default.temporaryDirectory
            .appendingPathComponent("belfry-group-\(UUID().uuidString)")
        private nonisolated static let png = Data([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1])

        /// What the system shows of a push.
        private func shown(
            _ userInfo: [String: Any], by service: BelfryNotificationServiceExtension,
            _ during: () -> Void = {}
        ) async -> UNNotificationContent {
            let box = await withCheckedContinuation { (continuation: CheckedContinuation<ContentBox, Never>) in
                service.didReceive(NotificationScreen.request("n1", userInfo)) {
                    continuation.resume(returning: ContentBox($0))
                }
                during()
            }
            return box.content
        }

        // Unchecked: the content is handed on once and not changed.
        private final class ContentBox: @unchecked Sendable {
            let content: UNNotificationContent

            init(_ content: UNNotificationContent) {
                self.content = content
            }
        }

        private func withImage(_ sid: String) -> [String: Any] {
            var userInfo = payload(sid, badge: Badge(count: 2, revision: 3))
            userInfo["belfry"] =
                [
                    "sid": sid, "image": "https://example.com/a.png", "badge": ["count": 2, "revision": 3],
                ] as [String: Any]
            return userInfo
        }

        @Test("PUSH-8: a push gets its image and its badge, also before the app was ever opened")
        func image() async throws {
            let service = ShopService(group)
            service.fetchImage = { address, _ in address == "https://example.com/a.png" ? Self.png : nil }
            let content = await shown(withImage("S-1"), by: service)
            #expect(content.title == "Hello" && content.badge == 2)
            #expect(content.attachments.map(\.url.pathExtension) == ["png"])
            #expect(try Data(contentsOf: #require(content.attachments.first).url) == Self.png)
        }

        @Test("PUSH-8: an image that does not come, or is none, leaves the text; so does the end of the time")
        func noImage() async throws {
            for image in [nil, Data("<html>".utf8)] {
                let service = ShopService(group)
                service.fetchImage = { _, _ in image }
                let content = await shown(withImage("S-1"), by: service)
                #expect(content.title == "Hello" && content.attachments.isEmpty)
            }
            let slow = ShopService(group)
            let turnstile = Turnstile()
            slow.fetchImage = { _, _ in
                await turnstile.pass()
                return Self.png
            }
            let content = await shown(withImage("S-2"), by: slow) { slow.serviceExtensionTimeWillExpire() }
            #expect(content.title == "Hello" && content.attachments.isEmpty)
            turnstile.open()
            // Once more answers nobody.
            slow.serviceExtensionTimeWillExpire()
        }

        @Test("PUSH-22, PUSH-8: another sender's push stays as it is")
        func foreign() async {
            let content = await shown(foreignPayload, by: ShopService(group))
            #expect(content.body == "From somebody else" && content.userInfo["chat"] as? Int == 7)
        }

        @Test(
            "ID-4, PUSH-8: a push for a person who has left says nothing of them, and its tap opens nothing",
            arguments: [true, false])
        func former(hides: Bool) async throws {
            let device = try AppleDevice { $0.appGroupDirectory = group }
            try await device.open("anna")
            try await device.client.logout()
            let late = payload("S-1", to: FakeServer.tag(of: "anna"), badge: Badge(count: 7, revision: 9))
            let content = await shown(late, by: ShopService(group, hides: hides))
            #expect(content.title.isEmpty && content.badge == nil && content.attachments.isEmpty)
            #expect(content.body == (hides ? "" : "You have a new notification."))
            if !hides {
                let push = try #require(ReceivedPush(userInfo: content.userInfo))
                #expect(try await !device.client.mayShow(push))
            }
            _ = await device.end()
        }

        @Test("PUSH-8, LED-1: the push is reported while the app does not run, and counted once when it is opened")
        func reported() async throws {
            let device = try AppleDevice { $0.appGroupDirectory = group }
            try await device.open("anna")
            try await device.leave()
            let service = ShopService(group)
            let wire = device.world.wire
            service.makeTransport = { _ in wire }
            let body = payload("S-1", badge: Badge(count: 4, revision: 2))
            let content = await shown(body, by: service)
            #expect(content.badge == 4)
            #expect(await device.world.server.events.filter { $0.name == "push:received" }.count == 1)
            NotificationScreen.shared.show(NotificationScreen.request("n1", body))
            try await device.comeBack()
            try await happens("the note is taken over") { try await device.client.badgeCount == 4 }
            #expect(await NotificationScreen.shared.respond(to: "n1", with: UNNotificationDefaultActionIdentifier))
            #expect(try await device.pushEvents == ["push:received", "push:displayed", "push:click"])
            _ = await device.end()
        }
    }
}
