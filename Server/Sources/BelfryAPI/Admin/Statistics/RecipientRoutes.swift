import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryWire

/// The routes for the people behind a campaign's figures, and for the search by one text (CON-2, CON-7).
package enum RecipientRoutes {
    package static let page = PageLimits(standard: 100, maximum: 1_000)
    static let found = 20

    static let all = [listRecipients.route, search.route]

    package static let listRecipients = AdminRoute(
        .get, inApp: "/campaigns/{id}/recipients", id: "listRecipients", .people, scope: .read,
        summary: "List the devices of a campaign and how its delivery to each ended",
        description: """
            In the order in which the devices were registered. A page may have fewer entries than its limit, or none, \
            and still a cursor: rare outcomes are looked for in a part of the ledger at a time.
            """,
        parameters: page.parameters + [
            OperationParameter(
                name: "state", place: .query, schema: .cases(of: DeliveryState.self),
                description: "Only deliveries in this state."
            ),
            OperationParameter(
                name: "reason", place: .query, schema: .string(1...64), description: "Only deliveries with this reason."
            ),
            OperationParameter(
                name: "engagement", place: .query, schema: .cases(of: Engagement.self),
                description: "Only deliveries with this report."
            ),
        ],
        response: "One page.", errors: [.ledgerRemoved], does: list
    )

    package static let search = AdminRoute(
        .get, inApp: "/search", id: "search", .people, scope: .read,
        summary: "Find campaigns, contacts and devices by a text",
        description: """
            Among the newest campaigns by a part of the name or by the id, contacts by the beginning of the key, \
            devices by id or push token. At most \(found) of each.
            """,
        parameters: [
            OperationParameter(
                name: "q", place: .query, schema: .string(1...SearchService.maximumLength), description: "The text."
            )
        ],
        response: "What was found.", does: find
    )

    private static func list(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<RecipientsResponse> {
        let page = try call.page(Self.page)
        let filter = RecipientQueries.Filter(
            state: try call.word("state", of: DeliveryState.self),
            reason: try call.text("reason").map(DeliveryReason.init(rawValue:)),
            engagement: try call.word("engagement", of: Engagement.self)
        )
        let found = try await call.services.recipients.list(
            try call.campaign(), filter, app: app, after: page.number(), limit: page.limit
        )
        return Done(RecipientsResponse(found))
    }

    private static func find(_ call: AdminCall<NoBody>, app: AppService.App) async throws -> Done<SearchResponse> {
        let text = try call.text("q") ?? ""
        return Done(SearchResponse(try await call.services.search.find(text, app: app, limit: found)))
    }
}

/// `GET …/campaigns/{id}/recipients`.
package struct RecipientsResponse: Hashable, Sendable, Codable {
    package struct Entry: Hashable, Sendable, Codable {
        package var deviceId: String?
        package var contactKey: String?
        package var state: String
        package var reason: String?
        package var updatedAt: String
        package var displayedAt: String?
        package var openedAt: String?
    }

    package var recipients: [Entry]
    package var cursor: String?

    package init(recipients: [Entry], cursor: String?) {
        self.recipients = recipients
        self.cursor = cursor
    }
}

extension RecipientsResponse {
    init(_ page: RecipientPage) {
        let recipients = page.recipients.map { recipient in
            let delivery = recipient.delivery
            return Entry(
                deviceId: recipient.device, contactKey: recipient.contactKey, state: delivery.state.rawValue,
                reason: delivery.reason?.rawValue, updatedAt: Timestamp.text(delivery.updatedAt),
                displayedAt: delivery.engagements[.displayed].map(Timestamp.text),
                openedAt: delivery.engagements[.opened].map(Timestamp.text)
            )
        }
        self.init(recipients: recipients, cursor: page.next.map { String($0) })
    }
}

extension RecipientsResponse: Described {
    static let schema: JSONSchema = .object(
        [
            "recipients": .list(
                of: .object(
                    ["state": .cases(of: DeliveryState.self), "updatedAt": .of(Timestamp.self)],
                    optional: [
                        "deviceId": .string().described("Absent: the device is gone."),
                        "contactKey": .string().described("Of a known contact."),
                        "reason": .string().described("A stable word."),
                        "displayedAt": .of(Timestamp.self), "openedAt": .of(Timestamp.self),
                    ]
                )
            )
        ],
        optional: ["cursor": .cursor]
    )
}

/// `GET …/search`.
package struct SearchResponse: Hashable, Sendable, Codable {
    package struct FoundCampaign: Hashable, Sendable, Codable {
        package var id: String
        package var name: String
        package var status: CampaignStatus
    }

    package var campaigns: [FoundCampaign]
    package var contacts: [String]
    package var devices: [String]
}

extension SearchResponse {
    init(_ results: SearchResults) {
        campaigns = results.campaigns.map { .init(id: $0.id.description, name: $0.name, status: $0.status) }
        contacts = results.contacts.map(\.key)
        devices = results.devices.map(\.device.client.rawValue)
    }
}

extension SearchResponse: Described {
    static let schema: JSONSchema = .object([
        "campaigns": .list(
            of: .object([
                "id": .of(CampaignID.self), "name": .string(), "status": .of(CampaignStatus.self),
            ])
        ),
        "contacts": .list(of: .string()).described("Their keys."),
        "devices": .list(of: .string()).described("Their ids."),
    ])
}
