import BelfryModel
import BelfryServices

/// The routes for messages that campaigns have placed in message centers, by campaign and by contact, and to recall one
/// message (MC-16).
package enum PlacedMessageRoutes {
    package static let page = PageLimits(standard: 100, maximum: 1_000)

    static let all = [
        listCampaignMessages.route, listContactMessages.route, recallContactMessage.route,
    ]

    package static let listCampaignMessages = AdminRoute(
        .get, inApp: "/campaigns/{id}/messages", id: "listCampaignMessages", .campaigns, scope: .read,
        summary: "List the messages that a campaign has placed",
        description: "One for each contact, and for each installation that nobody was logged in on.",
        parameters: page.parameters, response: "One page.", does: ofCampaign
    )

    package static let listContactMessages = AdminRoute(
        .get, inApp: "/contacts/{contactKey}/messages", id: "listContactMessages", .people, scope: .read,
        summary: "List the messages that were placed for a contact",
        description: """
            In all message centers, the newest campaign first. For an anonymous contact these are the messages of its \
            installations.
            """,
        parameters: page.parameters, response: "One page.", does: ofContact
    )

    package static let recallContactMessage = AdminRoute(
        .post(audit: "message.recall", to: .campaign), inApp: "/contacts/{contactKey}/messages/{id}/recall",
        id: "recallContactMessage", .people, scope: .campaign, summary: "Recall a campaign's message from one contact",
        description: """
            `id` is the campaign's. The message is deleted on all devices of the contact and is not placed again. The \
            request may be repeated.
            """,
        response: "The message was recalled.", isAcceptedOnFullDisk: true, does: recall
    )

    private static func ofCampaign(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<PlacedMessagesResponse> {
        let page = try call.page(Self.page)
        let found = try await call.services.placedMessages.messages(
            of: call.campaign(), app: app, after: page.number(), limit: page.limit
        )
        return Done(PlacedMessagesResponse(found.messages, next: found.next))
    }

    private static func ofContact(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<PlacedMessagesResponse> {
        let page = try call.page(Self.page)
        let found = try await call.services.placedMessages.messages(
            ofContact: call.part("contactKey"), app: app, before: page.number(), limit: page.limit
        )
        return Done(PlacedMessagesResponse(found.messages, next: found.next))
    }

    private static func recall(_ call: AdminCall<NoBody>, app: AppService.App) async throws -> Done<NoBody> {
        let id = try call.campaign()
        try await call.services.placedMessages.recall(id, fromContact: call.part("contactKey"), app: app)
        // The log gets the message's id, not its contact: after an erasure, the log must not name the person.
        return Done(to: id.description)
    }
}
