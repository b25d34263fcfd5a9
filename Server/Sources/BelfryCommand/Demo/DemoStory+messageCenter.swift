import BelfryAPI
import BelfryModel
import BelfryServerModel
import Synchronization

/// The second part of the story: message centers and the badge.
extension DemoStory {
    func setUpCenters() async throws {
        _ = try await admin.call(
            MessageCenterRoutes.putMessageCenter, DemoApp.code, DemoApp.center,
            body: MessageCenterChange(label: "Offers")
        )
    }

    /// A push that is kept in the primary message center, with a page to read there.
    package static let keptPush = CampaignRequest(
        name: "Kept", kind: .pushAndMessageCenter, audience: .everyone,
        push: PushContent(
            title: "Your ticket{{#firstName}}, {{firstName}}{{/firstName}}",
            body: "Swipe it away: it stays in the app.",
            action: NotificationAction(type: .openRichMessage)
        ),
        messageCenter: MessageCenterContent(
            richHtml: "<h1>{{city}}</h1><p>Show this page at the door.</p>", defaults: ["city": "Your town"]
        )
    )

    /// A message without a notification. Devices that are opted out of push get it too.
    package static let message = CampaignRequest(
        name: "Offer", kind: .messageCenter, audience: .everyone,
        messageCenter: MessageCenterContent(
            center: DemoApp.center, subject: "Half price in {{city}}", message: "Until Sunday, for you.",
            deeplinkUrl: "demo://offers", badge: BadgeChange(op: .increment), custom: ["topic": .string("offers")],
            variants: [
                "de": MessageCenterVariant(
                    subject: "Halber Preis in {{city}}", message: "Bis Sonntag, für dich."
                )
            ],
            defaults: ["city": "your town"]
        )
    )

    /// Sends both campaigns. Returns their ids.
    func sendMessages() async throws -> (keptPush: String, message: String) {
        let kept = try await launch(Self.keptPush)
        _ = try await figures(of: kept) { $0.status == .completed }
        let message = try await launch(Self.message)
        _ = try await figures(of: message) { $0.status == .completed }
        return (kept, message)
    }

    /// On every device that has the app, opens it and looks through the message centers. Returns the results by device
    /// number.
    func visitCenters() async throws -> [Int: MessageCenterVisit] {
        let found = Visits()
        try await fleet.each { device in
            guard let visit = try await device.visitCenters() else { return }
            found.visits.withLock { $0[device.index] = visit }
        }
        return found.visits.withLock { $0 }
    }

    /// Waits until every device that looked has reported, and returns the message-center campaign.
    func reportedMessage(_ campaign: String, visits: [Int: MessageCenterVisit]) async throws -> CampaignResponse {
        let readers = fleet.devices.filter { visits[$0.index]?.messages[DemoApp.center, default: 0] ?? 0 > 0 }
        let openers = readers.filter(\.behaviour.opens).count
        return try await answer(of: campaign) { response in
            guard let counts = response.messageCenterCounts else { return false }
            return counts.displayedBy >= readers.count && counts.openedBy >= openers
        }
    }

    private final class Visits: Sendable {
        let visits = Mutex<[Int: MessageCenterVisit]>([:])
    }
}
