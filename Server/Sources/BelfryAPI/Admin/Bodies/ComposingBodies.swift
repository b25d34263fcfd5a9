import BelfryModel
import BelfryServerModel
import BelfryServices

/// `POST …/audience/sample` (CON-5).
package struct AudienceSampleRequest: Hashable, Sendable, Codable {
    package var audience: Condition
    /// The attributes to return for each person.
    package var attributes: [String]?

    package init(audience: Condition, attributes: [String]? = nil) {
        self.audience = audience
        self.attributes = attributes
    }
}

extension AudienceSampleRequest: Described {
    static let schema: JSONSchema = .object(
        ["audience": .of(Condition.self)],
        optional: [
            "attributes": .list(of: .string(), 0...ComposingRoutes.maximumAttributes)
                .described("The attributes to show of each person.")
        ], isClosed: true
    )
}

/// Some people of an audience, and the time zones of its devices.
package struct AudienceSampleResponse: Hashable, Sendable, Codable {
    package struct Person: Hashable, Sendable, Codable {
        /// Absent for a device without a contact.
        package var contactId: Int64?
        /// Only for a known contact.
        package var contactKey: String?
        package var deviceId: String
        package var attributes: [String: String]
    }

    package struct Zone: Hashable, Sendable, Codable {
        /// Absent: the devices report none.
        package var timeZone: String?
        package var devices: Int
    }

    package var people: [Person]
    package var timeZones: [Zone]
}

extension AudienceSampleResponse {
    init(_ people: [AudiencePerson], _ zones: [AudienceZone]) {
        let people = people.map { person in
            Person(
                contactId: person.contact, contactKey: person.key, deviceId: person.device,
                attributes: Dictionary(person.values.map { ($0.name, $0.text ?? "") }) { first, _ in first }
            )
        }
        self.init(people: people, timeZones: zones.map { Zone(timeZone: $0.zone, devices: $0.devices) })
    }
}

extension AudienceSampleResponse: Described {
    static let schema: JSONSchema = .object([
        "people": .list(of: .of(AudienceSampleResponse.Person.self)),
        "timeZones": .list(of: .of(AudienceSampleResponse.Zone.self))
            .described("The most frequent first; the list has a limit."),
    ])
}

extension AudienceSampleResponse.Person: Described {
    static let schemaName = "AudiencePerson"

    static let schema: JSONSchema = .object(
        ["deviceId": .string(), "attributes": .map(of: .string())],
        optional: [
            "contactId": .integer().described("Absent for a device without a contact."),
            "contactKey": .string().described("The key of a known contact."),
        ]
    )
}

extension AudienceSampleResponse.Zone: Described {
    static let schemaName = "AudienceTimeZone"

    static let schema: JSONSchema = .object(
        ["devices": .count], optional: ["timeZone": .string().described("Absent: the devices report none.")]
    )
}

/// `POST …/preview` (CON-5).
package struct DraftPreviewRequest: Hashable, Sendable, Codable {
    package var campaign: CampaignRequest
    /// Absent: an invented person is used.
    package var contactKey: String?
    /// The values of an invented person, by the names that templates use.
    package var values: [String: String]?
    /// Whether the invented person has no values besides these.
    package var onlyValues: Bool?
    /// Absent: the person's own locale.
    package var locale: String?

    var person: PreviewPerson {
        if let contactKey { return .contact(contactKey) }
        return onlyValues == true ? .knownBy(values ?? [:]) : .invented(values ?? [:])
    }
}

extension DraftPreviewRequest: Described {
    static let schema: JSONSchema = .object(
        ["campaign": .of(CampaignRequest.self)],
        optional: [
            "contactKey": .string().described("Absent: an invented person."),
            "values": .map(of: .string()).described("Values of the invented person, by the names in templates."),
            "onlyValues": .boolean.described("Whether the invented person has no other values."),
            "locale": .string().described("The language to show; absent: the person's."),
        ],
        isClosed: true
    )
}

/// A campaign's texts as one person would get them.
package struct DraftPreviewResponse: Hashable, Sendable, Codable {
    /// The values that the texts use and the person has.
    package var values: [String: String]
    /// The names of the values that the texts use and the person lacks.
    package var missing: [String]
    package var variant: String?
    package var push: PushContent?
    package var messageCenter: MessageCenterContent?
    package var inApp: InAppContent?
    /// The reason, as a sentence, why a text cannot be rendered.
    package var problem: String?
}

extension DraftPreviewResponse {
    init(_ preview: DraftPreview) {
        let known = preview.values.compactMap { value in value.text.map { (value.name, $0) } }
        self.init(
            values: Dictionary(known) { one, _ in one }, missing: preview.values.filter { $0.text == nil }.map(\.name),
            variant: preview.variant, push: preview.push, messageCenter: preview.message, inApp: preview.inApp,
            problem: preview.problem
        )
    }
}

extension DraftPreviewResponse: Described {
    static let schema: JSONSchema = .object(
        ["values": .map(of: .string()), "missing": .list(of: .string())],
        optional: [
            "variant": .string().described("Absent: the content itself."), "push": .of(PushContent.self),
            "messageCenter": .of(MessageCenterContent.self), "inApp": .of(InAppContent.self),
            "problem": .string().described("Why a text cannot be rendered, as a sentence."),
        ]
    )
}

/// The messages that a contact sees in the message centers (CON-8).
package struct ContactInboxResponse: Hashable, Sendable, Codable {
    package struct Center: Hashable, Sendable, Codable {
        package var center: String
        package var label: String?
        package var enabled: Bool
        package var messages: [Message]
    }

    package struct Message: Hashable, Sendable, Codable {
        package var campaign: String
        package var subject: String
        package var message: String
        package var sentAt: String
        package var expiresAt: String?
        package var state: MessageState
    }

    package struct DeviceBadge: Hashable, Sendable, Codable {
        package var deviceId: String
        package var platform: String?
        package var count: Int
    }

    package var contactKey: String
    package var centers: [Center]
    package var hasMore: Bool
    package var badges: [DeviceBadge]

    private enum CodingKeys: String, CodingKey {
        case contactKey, centers, hasMore, badges
    }
}

extension ContactInboxResponse {
    /// An earlier server does not say whether there is more, because it returns everything.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        contactKey = try container.decode(String.self, forKey: .contactKey)
        centers = try container.decode([Center].self, forKey: .centers)
        hasMore = try container.decodeIfPresent(Bool.self, forKey: .hasMore) ?? false
        badges = try container.decode([DeviceBadge].self, forKey: .badges)
    }

    init(_ inbox: ContactInbox) {
        let centers = inbox.centers.map { entry in
            Center(
                center: entry.center.name.rawValue, label: entry.center.label, enabled: entry.center.isEnabled,
                messages: entry.messages.map { message in
                    Message(
                        campaign: message.campaign.description, subject: message.subject, message: message.text,
                        sentAt: Timestamp.text(message.sentAt), expiresAt: message.expiresAt.map(Timestamp.text),
                        state: message.state
                    )
                }
            )
        }
        self.init(
            contactKey: inbox.contact.key, centers: centers, hasMore: inbox.hasMore,
            badges: inbox.badges.map { DeviceBadge(deviceId: $0.device, platform: $0.platform, count: $0.count) }
        )
    }
}

extension ContactInboxResponse: Described {
    static let schema: JSONSchema = .object([
        "contactKey": .string(), "centers": .list(of: .of(ContactInboxResponse.Center.self)),
        "hasMore": .boolean.described(
            "Whether there are more messages than the 4 MiB that are shown, as several devices may have."
        ),
        "badges": .list(of: .of(ContactInboxResponse.DeviceBadge.self)),
    ])
}

extension ContactInboxResponse.Center: Described {
    static let schemaName = "ContactInboxCenter"

    static let schema: JSONSchema = .object(
        [
            "center": .string(), "enabled": .boolean,
            "messages": .list(of: .of(ContactInboxResponse.Message.self)).described("The newest first."),
        ],
        optional: ["label": .string()]
    )
}

extension ContactInboxResponse.Message: Described {
    static let schemaName = "ContactInboxMessage"

    static let schema: JSONSchema = .object(
        [
            "campaign": .string(), "subject": .string(), "message": .string(), "sentAt": .of(Timestamp.self),
            "state": .of(MessageState.self),
        ],
        optional: ["expiresAt": .of(Timestamp.self)]
    )
}

extension ContactInboxResponse.DeviceBadge: Described {
    static let schemaName = "DeviceBadge"

    static let schema: JSONSchema = .object(
        ["deviceId": .string(), "count": .count], optional: ["platform": .string()]
    )
}
