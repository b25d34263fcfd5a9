import BelfryModel
import BelfryServerModel
import BelfryServices

/// `GET …/people`.
package struct PeopleSearchResponse: Hashable, Sendable, Codable {
    package struct Person: Hashable, Sendable, Codable {
        package var contactKey: String
        /// The former key by which the contact was found.
        package var formerKey: String?
        package var known: Bool
        package var createdAt: String
        package var lastOpenedAt: String?
    }

    package struct Finding: Hashable, Sendable, Codable {
        package var by: PeopleSearchKind
        /// A sentence about what was searched for.
        package var sentence: String
        package var people: [Person]
        package var devices: [DeviceListResponse.Entry]
        package var cursor: String?
    }

    package var found: [Finding]

    package init(found: [Finding]) {
        self.found = found
    }
}

extension PeopleSearchResponse.Finding {
    init(_ finding: PeopleFinding) {
        self.init(
            by: finding.kind, sentence: finding.sentence,
            people: finding.people.map { person in
                PeopleSearchResponse.Person(
                    contactKey: person.contact.key, formerKey: person.formerKey, known: person.contact.known,
                    createdAt: Timestamp.text(person.contact.createdAt),
                    lastOpenedAt: person.contact.lastOpenedAt.map(Timestamp.text)
                )
            },
            devices: finding.devices.map(DeviceListResponse.Entry.init), cursor: finding.cursor
        )
    }
}

extension PeopleSearchResponse: Described {
    static let schema: JSONSchema = .object([
        "found": .list(
            of: .object(
                [
                    "by": .cases(of: PeopleSearchKind.self), "sentence": .string().described("What was searched for."),
                    "people": .list(
                        of: .object(
                            ["contactKey": .string(), "known": .boolean, "createdAt": .of(Timestamp.self)],
                            optional: [
                                "formerKey": .string().described("The former key by which the contact was found."),
                                "lastOpenedAt": .of(Timestamp.self),
                            ]
                        )
                    ),
                    "devices": .list(of: DeviceListResponse.entrySchema).described("All installations with the id."),
                ],
                optional: ["cursor": .cursor]
            )
        )
    ])
}

/// `GET …/contacts/{contactKey}/timeline`, newest first.
package struct TimelineResponse: Hashable, Sendable, Codable {
    package struct Campaign: Hashable, Sendable, Codable {
        package var id: String
        package var name: String
        package var kind: CampaignKind
    }

    package struct Entry: Hashable, Sendable, Codable {
        package var at: String
        package var kind: TimelineKind
        /// The name of an event; for other entries, a stable word.
        package var what: String
        package var sentence: String
        package var deviceId: String?
        /// The number of the installation, because one device id may name several.
        package var installation: String?
        package var campaign: Campaign?
        package var reason: String?
        /// Only for an event.
        package var attributes: [String: AttributeValue]?
        /// Only for a registration.
        package var rejected: [RejectedField]?
    }

    package var entries: [Entry]
    package var cursor: String?

    package init(entries: [Entry], cursor: String? = nil) {
        self.entries = entries
        self.cursor = cursor
    }
}

extension TimelineResponse.Entry {
    init(_ entry: TimelineEntry) {
        self.init(
            at: Timestamp.text(entry.at), kind: entry.kind, what: entry.what, sentence: entry.sentence,
            deviceId: entry.client?.rawValue, installation: entry.installation.map { String($0) },
            campaign: entry.campaign.map {
                TimelineResponse.Campaign(id: $0.id.description, name: $0.name, kind: $0.kind)
            },
            reason: entry.reason, attributes: entry.kind == .event ? entry.attributes : nil,
            rejected: entry.rejected.isEmpty ? nil : entry.rejected
        )
    }
}

extension TimelineResponse: Described {
    static let schema: JSONSchema = .object(
        [
            "entries": .list(
                of: .object(
                    [
                        "at": .of(Timestamp.self), "kind": .cases(of: TimelineKind.self),
                        "what": .string().described("The name of an event, otherwise a stable word."),
                        "sentence": .string().described("What happened, for people."),
                    ],
                    optional: [
                        "deviceId": .string(), "installation": .installation,
                        "campaign": .object(
                            ["id": .of(CampaignID.self), "name": .string(), "kind": .of(CampaignKind.self)]
                        ),
                        "reason": .string().described("Of a decision: a stable word, or the push service's."),
                        "attributes": .attributes.described("Of an event."),
                        "rejected": .list(of: .of(RejectedField.self)).described("Of a registration."),
                    ]
                )
            )
        ],
        optional: ["cursor": .cursor]
    )
}

extension JSONSchema {
    /// The number of an installation.
    static let installation: JSONSchema = .string().described(
        "The number of the installation: one device id may name several."
    )
}

/// Another installation with the requested device id.
package struct InstallationResponse: Hashable, Sendable, Codable {
    package var installation: String
    package var contactKey: String?
    package var createdAt: String
    package var lastOpenedAt: String?
}

extension InstallationResponse {
    static let schema: JSONSchema = .object(
        ["installation": .installation, "createdAt": .of(Timestamp.self)],
        optional: ["contactKey": .string(), "lastOpenedAt": .of(Timestamp.self)]
    )

    init(_ installation: Installation) {
        self.init(
            installation: String(installation.number), contactKey: installation.contactKey,
            createdAt: Timestamp.text(installation.createdAt),
            lastOpenedAt: installation.lastOpenedAt.map(Timestamp.text)
        )
    }
}
