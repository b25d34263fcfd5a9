import BelfryModel
import BelfryServices

extension OpenAPI {
    static let trialSchemas: [String: Schema] = [
        "CampaignPreviewRequest": .object(
            [:],
            optional: [
                "deviceIds": .list(of: .string(), 1...CampaignController.maximumPreviews)
                    .described("Absent: some of the audience."),
                "limit": .integer(1...Int64(CampaignController.maximumPreviews))
                    .described("How many when no device is named; default \(CampaignController.standardPreviews)."),
            ]
        ),
        "CampaignPreviewAnswer": .object(["previews": .list(of: .reference("CampaignPreview"))]),
        "CampaignPreview": .object(
            ["deviceId": .string()],
            optional: [
                "locale": .string(), "variant": .string().described("Absent: the content itself."),
                "title": .string(), "subtitle": .string(), "body": .string(), "imageUrl": .string(format: "uri"),
                "action": .reference("NotificationAction"), "buttons": .list(of: .reference("NotificationButton")),
                "custom": .reference("Attributes"), "badge": .reference("BadgeChange"),
                "messageCenter": .reference("MessageCenterContent").described("What is kept for the recipient."),
                "inApp": .reference("InAppContent").described("What an in-app message says to the recipient."),
                "html": .string().described(
                    """
                    The page of an in-app message, as devices show it. Show it in a sandboxed frame, never as a page \
                    of your own.
                    """),
                "problem": .string().described("Why the device would get nothing, in a sentence."),
            ]
        ),
        "DryRunAnswer": .object([
            "audience": .count.described("The sum of the others."), "wouldSend": .count,
            "later": .count.described(
                "At a time of their own, when quiet hours end, or, of an in-app message, once they have a contact."),
            "suppressed": .map(of: .count).described("By the ledger's reason."),
            "samples": .list(of: .reference("DryRunSample")),
        ]),
        "DryRunSample": .object(
            ["deviceId": .string(), "outcome": .word(DryRun.Outcome.allCases.map(\.rawValue))],
            optional: [
                "reason": .string().described("Why it is suppressed or waits."),
                "at": .reference("Timestamp").described("When it would be sent."),
            ]
        ),
        "TestSendRequest": .object([
            "deviceIds": .list(of: .string(), 1...CampaignController.maximumTestDevices)
        ]),
        "TestSendAnswer": .object(["results": .list(of: .reference("TestSendResult"))]),
        "TestSendResult": .object(
            [
                "deviceId": .string(), "state": .word(DeliveryState.allCases.map(\.rawValue)),
                "sentence": .string().described("What became of it, for people."),
            ],
            optional: ["reason": .string().described("As the ledger has it.")]
        ),
    ]
}
