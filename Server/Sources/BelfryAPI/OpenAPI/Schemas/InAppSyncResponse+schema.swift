import BelfryModel
import BelfryServices
import BelfryWire

extension InAppSyncResponse: Described {
    static let schema: JSONSchema = .object(
        [
            "cursor": .string().described("For the next sync; safe in a URL without encoding."),
            "messages": .list(of: .of(InAppMessageBody.self), 0...InAppSync.maximumMessages),
            "recalled": .list(of: .of(MessageID.self)).described("Messages that the device must remove."),
        ],
        optional: [
            "registration": .of(RegistrationResult.self),
            "pushTokenNeeded": .boolean.described(
                "Another device has registered this one's push token; the device sends its token again."
            ),
        ]
    )
}

extension InAppMessageBody: Described {
    static let schemaName = "InAppMessage"

    static let schema: JSONSchema = .object(
        [
            "id": .of(MessageID.self).described("One per campaign and device, the same for all versions."),
            "version": .integer(1...Int32.max).described("Increases with each edit of the campaign."),
            "campaignId": .of(CampaignID.self),
            "type": .of(InAppType.self),
            "priority": .integer(0...InAppLimits.maximumPriority).described("The lowest is shown first."),
            "displayLimit": .integer(1...InAppLimits.maximumDisplayLimit)
                .described("How often the contact may see it on this device."),
            "delaySeconds": .integer(0...InAppLimits.maximumDelaySeconds).described(
                "From the trigger to the display."),
            "content": .of(InAppContent.self),
        ],
        optional: [
            "trigger": .of(InAppTrigger.self),
            "viewId": .string(1...InAppLimits.maximumViewIDLength).described("For an inline message."),
            "startsAt": .of(Timestamp.self), "endsAt": .of(Timestamp.self),
            "displayCount": .count.described("How often the contact has seen it on this device, as the server knows."),
            "displayEpoch": .count.described("When it increases, the display count starts again."),
        ]
    )
}
