import BelfryModel
import BelfryWire

extension V3InAppMessage: Described {
    static let schema: JSONSchema = .object(["campaignId": .of(CampaignID.self), "html": .page])
}

extension OnEventAction: Described {
    static let schema: JSONSchema = .object([
        "campaignId": .of(CampaignID.self),
        "actions": .list(of: .of(V3InAppAction.self), 1...2 * InAppLimits.maximumActions)
            .described("In this order."),
    ])
}

extension V3InAppAction: Described {
    static let schema: JSONSchema = .object(
        ["type": .cases(of: V3InAppAction.Kind.self)],
        optional: [
            "name": .string().described("For the two event types."),
            "payload": .attributes.described("For the two event types."),
            "url": .string(format: "uri").described("Of `OpenExternalUrl`."),
        ]
    )
    .described("In the format of version 3.")
}

extension InlineBody: Described {
    static let schemaName = "InlineMessagesRequest"

    static let schema: JSONSchema = .object(
        [:],
        optional: [
            "viewIds": .list(of: .string(), 0...InlineBody.maximumViewIDs)
                .described("The places in the app, compared without case; absent: none."),
            "clicks": .list(of: .anyObject).described("Clicks on buttons of in-app messages."),
            "deviceEventState": .anyObject.described("For version 4."),
        ]
    )
}

extension InlineMessagesResponse: Described {
    static let schema: JSONSchema = .object([
        "inlineMessages": .list(of: .of(InlineMessagesResponse.Message.self), 0...InlineBody.maximumViewIDs),
        "oldCampaigns": .list(of: .string())
            .described("For version 3: campaigns whose clicks the client may delete."),
    ])
}

extension InlineMessagesResponse.Message: Described {
    static let schemaName = "InlineMessage"

    static let schema: JSONSchema = .object([
        "campaignId": .of(CampaignID.self), "html": .page,
        "viewId": .string().described("As in the client's request."),
    ])
}

extension JSONSchema {
    fileprivate static let page: JSONSchema = .string().described(
        "A complete page for the bridge of clients of version 3.")
}
