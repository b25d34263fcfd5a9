import BelfryModel
import Foundation
import Testing
import UserNotifications

@testable import Belfry

extension AppleAdapters {
    /// The number on the icon, and the system's list of notifications (BADGE-1 to BADGE-6, ID-4).
    @MainActor
    struct BadgeAndListTests {
        private var icon: Int { NotificationScreen.shared.read { $0.badge } }
        private var list: [String] { NotificationScreen.shared.read { $0.delivered.map(\.request.identifier) } }

        private func show(_ id: String, _ userInfo: [String: Any]) {
            NotificationScreen.shared.show(NotificationScreen.request(id, userInfo))
        }

        @Test("BADGE-4, BADGE-5: the badge of a push that the system showed by itself is known once the app is shown")
        func shownBySystem() async throws {
            let device = try AppleDevice()
            try await device.open()
            try await device.leave()
            show("n1", payload("S-1", badge: Badge(count: 2, revision: 1)))
            show("n2", payload("S-2", badge: Badge(count: 3, revision: 2)))
            show("n3", foreignPayload)
            #expect(icon == 3)
            #expect(try await device.client.badgeCount == 0)
            try await device.comeBack()
            try await happens("it is read") { try await device.client.badgeCount == 3 }
            #expect(icon == 3 && list == ["n1", "n2", "n3"])
            _ = await device.end()
        }

        @Test("BADGE-2, BADGE-3: a set shows the number, and 0 also removes all of the app's notifications")
        func sets() async throws {
            let device = try AppleDevice()
            try await device.open()
            show("n1", payload("S-1"))
            show("n2", foreignPayload)
            try await device.client.setBadgeCount(5)
            #expect(icon == 5 && list == ["n1", "n2"])
            try await device.client.resetBadgeCount()
            #expect(icon == 0 && list.isEmpty)
            _ = await device.end()
        }

        @Test("BADGE-5: a number that the system did not take is shown when the app comes back")
        func refused() async throws {
            let device = try AppleDevice()
            try await device.open()
            NotificationScreen.shared.change { $0.takesBadges = false }
            try await device.client.setBadgeCount(4)
            #expect(icon == 0)
            NotificationScreen.shared.change { $0.takesBadges = true }
            try await device.leave()
            try await device.comeBack()
            await happens("it is shown") { icon == 4 }
            _ = await device.end()
        }

        @Test("ID-4: at a logout the badge and our notifications go; those of other senders stay")
        func logout() async throws {
            let device = try AppleDevice()
            try await device.open()
            try await device.client.setBadgeCount(4)
            show("n1", payload("S-1"))
            show("n2", foreignPayload)
            try await device.client.logout()
            #expect(icon == 0 && list == ["n2"])
            _ = await device.end()
        }

        @Test("MC-11: news of the message center are posted to the app's notification center, on the main thread")
        func posts() async throws {
            let device = try AppleDevice()
            try await device.open()
            let heard = Locked<[String]>([])
            let token = NotificationCenter.default.addObserver(
                forName: .belfryMessageCenterUpdate, object: nil, queue: nil
            ) { notification in
                let centers = MessageCenterUpdate(notification)?.centers ?? []
                heard.withLock { $0 += Thread.isMainThread ? centers : ["not on the main thread"] }
            }
            await device.world.server.keep(for: "anna")
            try await device.client.setMessageCenterEnabled(true)
            await happens("it is posted") { heard.withLock { $0 } == ["Primary"] }
            NotificationCenter.default.removeObserver(token)
            _ = await device.end()
        }
    }
}
