import Belfry
import BelfryModel

extension SimulatedDevice {
    /// Opens the app, which fetches its message centers and shows them. A person who opens pushes opens messages too.
    ///
    /// - Returns: nil while the app is not running.
    func visitCenters() async throws -> MessageCenterVisit? {
        guard let client else { return nil }
        try await client.didEnterForeground()
        try await client.refreshMessageCenters()
        var visit = MessageCenterVisit()
        visit.badge = try await settledIcon(with: client)
        try await client.messageCenterViewWillAppear()
        for center in world.centers {
            let messages = try await client.messages(in: center)
            visit.messages[center] = messages.count
            for message in messages { try await look(at: message, with: client) }
            visit.read += try await client.messages(in: center).count { $0.state == .read }
            visit.unread += try await client.unreadCount(in: center)
        }
        try await client.messageCenterViewWillDisappear()
        visit.richContents = openedPages.count
        visit.badgeLeft = try await showLeft(visit, with: client)
        try await client.flush()
        try await client.didEnterBackground()
        return visit
    }

    /// Looks through the message centers when there is something that the person has not seen yet. After an error the
    /// next look tries again.
    func readNews() async {
        guard let client else { return }
        var news = false
        for center in world.centers {
            guard let messages = try? await client.messages(in: center) else { continue }
            news = news || messages.contains { !seenMessages.contains($0.id) }
        }
        if news { _ = try? await visitCenters() }
    }

    /// Opens the message that was kept with a push, if that is the push's target. After an error the person still finds
    /// it in the message centers.
    func follow(_ push: ReceivedPush, with client: BelfryClient) async {
        guard let action = push.action(), action.type == .openRichMessage, action.url == nil,
            let message = try? await client.message(for: push), message.isUnread
        else { return }
        try? await read(message, with: client)
    }

    /// Displays a message in the list; the person may open and read it.
    private func look(at message: MessageCenterMessage, with client: BelfryClient) async throws {
        seenMessages.insert(message.id)
        try await client.trackMessageCenterDisplay(message.id)
        if behaviour.opens, message.isUnread { try await read(message, with: client) }
    }

    private func read(_ message: MessageCenterMessage, with client: BelfryClient) async throws {
        try await client.trackMessageCenterOpen(message.id)
        if message.hasRichContent {
            _ = try await client.richContent(for: message.id)
            openedPages.insert(message.id)
        }
        try await client.markRead(message.id)
    }

    /// Sets the icon to the number of unread messages after one was read, as apps do.
    private func showLeft(_ visit: MessageCenterVisit, with client: BelfryClient) async throws -> Int {
        let badge = try await settledIcon(with: client)
        guard visit.read > 0, badge != visit.unread else { return badge }
        try await client.setBadgeCount(visit.unread)
        return try await settledIcon(with: client)
    }

    /// The number on the icon. The SDK sets it after it informs the app, so this waits a moment.
    private func settledIcon(with client: BelfryClient) async throws -> Int {
        let end = world.environment.now().addingTimeInterval(2)
        while await home.icon != (try await client.badgeCount), world.environment.now() < end {
            await world.environment.sleep(world.environment.now().addingTimeInterval(0.02))
        }
        return await home.icon
    }
}

/// What a person found in the app's message centers, and the state after looking through them.
struct MessageCenterVisit: Hashable, Sendable {
    /// The number of messages by message center.
    var messages: [String: Int] = [:]
    /// The number on the icon before the visit.
    var badge = 0
    /// Rich messages that were opened, in a message center or from their push.
    var richContents = 0
    /// Messages that were read at the end, and those that were not.
    var read = 0
    var unread = 0
    /// The number on the icon at the end.
    var badgeLeft = 0
}
