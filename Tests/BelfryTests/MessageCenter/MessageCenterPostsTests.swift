import BelfryModel
import Foundation
import Testing

@testable import Belfry

@Suite(.timeLimit(.minutes(15)))
struct MessageCenterPostsTests {
    /// The posted notifications.
    private final class Board: Sendable {
        struct Note: Sendable {
            var update: MessageCenterUpdate?
            var response: MessageCenterResponse?
        }

        let center = NotificationCenter()
        private let noted = Locked<[Note]>([])

        init() {
            for name in [Notification.Name.belfryMessageCenterUpdate, .belfryMessageCenterResponse] {
                _ = center.addObserver(forName: name, object: nil, queue: nil) { [noted] notification in
                    let note = Note(
                        update: MessageCenterUpdate(notification),
                        response: MessageCenterResponse(notification)
                    )
                    // Ends the process where it is not so.
                    MainActor.assumeIsolated { noted.withLock { $0.append(note) } }
                }
            }
        }

        var notes: [Note] { noted.withLock { $0 } }
    }

    /// A phone that posts as Apple's do.
    private struct PostingPhone: DevicePlatform {
        let headless = HeadlessPlatform(system: SystemProperties(platform: "ios"))
        let messageCenterListener: (any MessageCenterListener)?

        func systemProperties() async -> SystemProperties { await headless.systemProperties() }
        func isInForeground() async -> Bool { await headless.isInForeground() }
        func events() -> AsyncStream<PlatformEvent> { headless.events() }
    }

    @Test("MC-11: new messages and raw responses are posted on the main thread, with their content")
    func story() async throws {
        let world = try World()
        let board = Board()
        let client = try BelfryClient(
            configuration: world.configuration,
            platform: PostingPhone(messageCenterListener: MessageCenterPosts(to: board.center)),
            transport: world.server,
            environment: .manual(world.clock, Chance(seed: 1))
        )
        try await client.setMessageCenterEnabled(true)
        try await client.start()
        await client.waitUntilIdle()
        let contact = try #require(await world.server.contact)
        await world.server.changeInbox { $0.centers["Offers"] = true }
        await world.server.keep(for: contact)
        await world.server.keep(for: contact) { $0.center = "Offers" }
        try await client.refreshMessageCenters()
        await eventually("the update is posted") { board.notes.contains { $0.update != nil } }
        await eventually("both answers are posted") { board.notes.count { $0.response != nil } == 2 }
        let updates = board.notes.compactMap(\.update)
        // The center of the offers has come since the fetch before (MC-17).
        #expect(updates == [MessageCenterUpdate(centers: ["Offers", "Primary"], changedCenters: ["Offers"])])
        let response = try #require(board.notes.compactMap(\.response).last)
        #expect(response.url.absoluteString == "https://push.example.com/v3/apps/shop/client/message-centers")
        let json = try JSONSerialization.jsonObject(with: response.json) as? [String: Any]
        #expect((json?["messageCenters"] as? [Any])?.count == 2)
        await client.stop()
    }

    @Test("MC-11: another sender's notification is not read as Belfry's")
    func foreign() {
        let names = [Notification.Name("Other"), .belfryMessageCenterUpdate, .belfryMessageCenterResponse]
        for name in names {
            let notification = Notification(name: name, object: nil, userInfo: ["Other": ["Primary"]])
            #expect(MessageCenterUpdate(notification) == nil)
            #expect(MessageCenterResponse(notification) == nil)
        }
    }
}
