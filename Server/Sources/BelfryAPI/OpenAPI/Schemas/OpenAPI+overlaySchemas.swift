import BelfryModel
import BelfryWire

extension OpenAPI {
    /// In-app messages of clients of version 3, which keep none.
    static let overlaySchemas: [String: Schema] = [
        "OverlayMessage": .object(["campaignId": .reference("CampaignID"), "html": page]),
        "OnEventAction": .object([
            "campaignId": .reference("CampaignID"),
            "actions": .list(of: .reference("OverlayAction"), 1...2 * InAppLimits.maximumActions)
                .described("In this order."),
        ]),
        "OverlayAction": .object(
            ["type": .word(OverlayAction.Kind.allCases.map(\.rawValue))],
            optional: [
                "name": .string().described("Of the two events."),
                "payload": .reference("Attributes").described("Of the two events."),
                "url": .string(format: "uri").described("Of `OpenExternalUrl`."),
            ]
        )
        .described("In the words of version 3."),
        "InlineMessagesRequest": .object(
            [:],
            optional: [
                "viewIds": .list(of: .string(), 0...InlineBody.maximumViewIDs)
                    .described("The places in the app, compared without case; absent: none."),
                "clicks": .list(of: .anyObject).described("Buttons of in-app messages that the client saw pressed."),
                "deviceEventState": .anyObject.described("Of version 4."),
            ]
        ),
        "InlineMessagesAnswer": .object([
            "inlineMessages": .list(of: .reference("InlineMessage"), 0...InlineBody.maximumViewIDs),
            "oldCampaigns": .list(of: .string())
                .described("Of version 3: campaigns whose clicks the client may forget."),
        ]),
        "InlineMessage": .object([
            "campaignId": .reference("CampaignID"), "html": page,
            "viewId": .string().described("As the client asked for it."),
        ]),
    ]

    private static let page: Schema = .string().described("A whole page, which speaks to the client of version 3.")
}
