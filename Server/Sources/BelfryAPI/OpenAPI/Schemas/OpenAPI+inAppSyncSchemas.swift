import BelfryModel
import BelfryWire

extension OpenAPI {
    static let inAppSyncSchemas: [String: Schema] = [
        "InAppSyncAnswer": .object([
            "cursor": .string().described("What the next call shows; made for a URL as it is."),
            "messages": .list(of: .reference("InAppMessage"), 0...InAppLimits.maximumActive),
            "recalled": .list(of: .reference("MessageID")).described("Messages that the device is to remove."),
        ]),
        "InAppMessage": inAppMessage,
        "InAppCounts": .object([
            "downloaded": .count.described("Devices that have downloaded it."),
            "displays": .count.described("How often it was on screen."), "displayedBy": .count,
            "clicks": .count, "clickedBy": .count, "dismissals": .count,
            "clicksByButton": .map(of: .count).described("By the button's id, of those that were clicked most."),
            "notShown": .map(of: .count).described("How often it was due and was not shown, by the reason."),
        ])
        .described("Sums over all devices; `displayedBy` and `clickedBy` count each device once."),
    ]

    private static let inAppMessage: Schema = .object(
        [
            "id": .reference("MessageID").described("One per campaign and device, the same over all versions."),
            "version": .integer(1...Int64(Int32.max)).described("Grows with each edit of the campaign."),
            "campaignId": .reference("CampaignID"),
            "type": .reference("InAppType"),
            "priority": .integer(0...Int64(InAppLimits.maximumPriority)).described("The lowest goes first."),
            "displayLimit": .integer(1...Int64(InAppLimits.maximumDisplayLimit))
                .described("How often the contact sees it on this device."),
            "delaySeconds": .integer(0...Int64(InAppLimits.maximumDelaySeconds)).described(
                "From the trigger to the display."),
            "content": .reference("InAppContent"),
        ],
        optional: [
            "trigger": .reference("InAppTrigger"),
            "viewId": .string(1...InAppLimits.maximumViewIDLength).described("Of an inline message."),
            "startsAt": .reference("Timestamp"), "endsAt": .reference("Timestamp"),
            "displayCount": .count.described("How often the contact has seen it on this device, as the server knows."),
            "displayEpoch": .count.described("Where it grows, displays count anew."),
        ]
    )
}
