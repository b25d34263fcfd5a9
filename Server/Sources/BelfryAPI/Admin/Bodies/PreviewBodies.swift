import BelfryModel
import BelfryServerModel
import BelfryServices

/// `POST …/campaigns/{id}/preview` (CAMP-4).
package struct CampaignPreviewRequest: Hashable, Sendable, Codable {
    /// Absent: some devices of the audience.
    package var deviceIds: [String]?
    /// The number of devices, when none is named; absent: 5.
    package var limit: Int?

    package init(deviceIds: [String]? = nil, limit: Int? = nil) {
        self.deviceIds = deviceIds
        self.limit = limit
    }
}

extension CampaignPreviewRequest: Described {
    static let schema: JSONSchema = .object(
        [:],
        optional: [
            "deviceIds": .list(of: .string(), 1...PreviewLimits.maximumDevices)
                .described("Absent: some devices of the audience."),
            "limit": .integer(1...PreviewLimits.maximumDevices)
                .described(
                    "The number of devices, if none is named; default \(PreviewLimits.standardDevices)."
                ),
        ]
    )
}

/// A campaign's content as real recipients would get it.
package struct CampaignPreviewResponse: Hashable, Sendable, Codable {
    /// One recipient. Without `problem`, the entry has the recipient's texts.
    package struct Entry: Hashable, Sendable, Codable {
        package var deviceId: String
        package var locale: String?
        /// The key of the variant that the device gets; absent: the content itself.
        package var variant: String?
        package var title: String?
        package var subtitle: String?
        package var body: String?
        package var imageUrl: String?
        package var action: NotificationAction?
        package var buttons: [NotificationButton]?
        package var custom: [String: AttributeValue]?
        /// The change of the badge by the push or the message.
        package var badge: BadgeChange?
        /// The message center message, without variants.
        package var messageCenter: MessageCenterContent?
        /// The content of the in-app message.
        package var inApp: InAppContent?
        /// The HTML page of an in-app message, as a device shows it. Its buttons do nothing in a preview.
        package var html: String?
        /// The reason, as a sentence, why the device would get nothing.
        package var problem: String?

        /// - Parameters:
        ///   - content: the push as the recipient gets it; nil when it cannot be made, or there is no push.
        ///   - message: the message center message as the recipient gets it; nil likewise.
        ///   - inApp: the in-app message as the recipient gets it; nil likewise.
        ///   - html: the page of the in-app message.
        package init(
            deviceId: String, locale: String? = nil, variant: String? = nil, content: PushContent?,
            message: MessageCenterContent? = nil, inApp: InAppContent? = nil, html: String? = nil,
            problem: String? = nil
        ) {
            self.deviceId = deviceId
            self.locale = locale
            self.variant = variant
            self.problem = problem
            // A silent push has neither title nor body.
            title = content.flatMap { $0.title.isEmpty ? nil : $0.title }
            subtitle = content?.subtitle
            body = content.flatMap { $0.body.isEmpty ? nil : $0.body }
            imageUrl = content?.imageUrl
            action = content?.action
            buttons = content?.buttons
            custom = content?.custom
            badge = content?.badge ?? message?.badge
            messageCenter = message
            self.inApp = inApp
            self.html = html
        }
    }

    package var previews: [Entry]
    /// Unexpected costs of the campaign, as sentences; absent: there are none.
    package var warnings: [String]?
}

extension CampaignPreviewResponse: Described {
    static let schema: JSONSchema = .object(
        ["previews": .list(of: .of(CampaignPreviewResponse.Entry.self))], optional: ["warnings": .warnings]
    )
}

extension CampaignPreviewResponse.Entry: Described {
    static let schemaName = "CampaignPreview"

    static let schema: JSONSchema = .object(
        ["deviceId": .string()],
        optional: [
            "locale": .string(), "variant": .string().described("Absent: the content itself."),
            "title": .string(), "subtitle": .string(), "body": .string(), "imageUrl": .string(format: "uri"),
            "action": .of(NotificationAction.self), "buttons": .list(of: .of(NotificationButton.self)),
            "custom": .attributes, "badge": .of(BadgeChange.self),
            "messageCenter": .of(MessageCenterContent.self).described("The message center message for the recipient."),
            "inApp": .of(InAppContent.self).described("The in-app message for the recipient."),
            "html": .string().described(
                """
                The page of an in-app message, as devices show it. Show it in a sandboxed frame, never as a page \
                of your own.
                """),
            "problem": .string().described("Why the device would get nothing, as a sentence."),
        ]
    )
}

/// The response to `POST …/campaigns/{id}/dry-run`: who would get the campaign and who not, by reason (CAMP-7).
package struct DryRunResponse: Hashable, Sendable, Codable {
    /// One device and its expected outcome.
    package struct Sample: Hashable, Sendable, Codable {
        package var deviceId: String
        /// `wouldSend`, `later` or `suppressed`.
        package var outcome: String
        package var reason: String?
        package var at: String?
    }

    /// The number of devices in the audience: the sum of the other numbers.
    package var audience: Int
    package var wouldSend: Int
    package var later: Int
    package var suppressed: [String: Int]
    package var samples: [Sample]
    /// Unexpected costs of the campaign, as sentences; absent: there are none.
    package var warnings: [String]?
}

extension DryRunResponse: Described {
    static let schema: JSONSchema = .object(
        [
            "audience": .count.described("The sum of the others."), "wouldSend": .count,
            "later": .count.described(
                "At their local time, when quiet hours end, or, for an in-app message, once they have a contact."),
            "suppressed": .map(of: .count).described("By the ledger's reason."),
            "samples": .list(of: .of(DryRunResponse.Sample.self)),
        ],
        optional: ["warnings": .warnings]
    )
}

extension JSONSchema {
    fileprivate static let warnings: JSONSchema = .list(of: .string()).described(
        "Side effects of the campaign that one might not expect, as sentences."
    )
}

extension DryRunResponse.Sample: Described {
    static let schemaName = "DryRunSample"

    static let schema: JSONSchema = .object(
        ["deviceId": .string(), "outcome": .cases(of: DryRun.Outcome.self)],
        optional: [
            "reason": .string().described("Why it is suppressed or waiting."),
            "at": .of(Timestamp.self).described("When it would be sent."),
        ]
    )
}

/// `POST …/campaigns/{id}/test` (CAMP-7).
package struct TestSendRequest: Hashable, Sendable, Codable {
    package var deviceIds: [String]

    package init(deviceIds: [String]) {
        self.deviceIds = deviceIds
    }
}

extension TestSendRequest: Described {
    static let schema: JSONSchema = .object([
        "deviceIds": .list(of: .string(), 1...PreviewLimits.maximumTestDevices)
    ])
}

/// The result of a test send, by device.
package struct TestSendResponse: Hashable, Sendable, Codable {
    package struct Result: Hashable, Sendable, Codable {
        package var deviceId: String
        package var state: DeliveryState
        package var reason: String?
        package var sentence: String
    }

    package var results: [Result]
}

extension TestSendResponse: Described {
    static let schema: JSONSchema = .object(["results": .list(of: .of(TestSendResponse.Result.self))])
}

extension TestSendResponse.Result: Described {
    static let schemaName = "TestSendResult"

    static let schema: JSONSchema = .object(
        [
            "deviceId": .string(), "state": .cases(of: DeliveryState.self),
            "sentence": .string().described("The result, for people."),
        ],
        optional: ["reason": .string().described("As in the ledger.")]
    )
}

/// How many devices a preview, a test send and a dry run's samples may have (CAMP-4, CAMP-7).
enum PreviewLimits {
    /// The number of devices of the audience, when a preview names neither devices nor a number.
    static let standardDevices = 5
    static let maximumDevices = 20
    static let maximumTestDevices = 20
}
