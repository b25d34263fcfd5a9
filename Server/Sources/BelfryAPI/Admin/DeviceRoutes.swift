import BelfryModel
import BelfryServices
import BelfryWire

/// The routes for devices, their events and messages, and for why a device did or did not get a campaign (ADM-2,
/// LED-2).
package enum DeviceRoutes {
    package static let pageOfEvents = PageLimits(standard: 100, maximum: DirectoryQueries.maximumEvents)
    package static let pageOfMessages = PageLimits(standard: 50, maximum: 200)

    static let all: [Route<AdminRequestContext>] = [
        readDevice.route, listDeviceEvents.route, listDeviceMessages.route, revokeDevice.route, explain.route,
    ]

    package static let readDevice = AdminRoute(
        .get, inApp: "/devices/{clientId}", id: "readDevice", .people, scope: .read, summary: "Read a device",
        description: "Of several installations with this id the newest that has a contact; the others are listed.",
        parameters: [installation], response: "The device and its eligibility for push.", does: find
    )

    package static let listDeviceEvents = AdminRoute(
        .get, inApp: "/devices/{clientId}/events", id: "listDeviceEvents", .people, scope: .read,
        summary: "List a device's events", description: "Newest first.",
        parameters: pageOfEvents.parameters + [installation] + EventQuery.parameters, response: "One page.",
        does: events
    )

    package static let listDeviceMessages = AdminRoute(
        .get, inApp: "/devices/{clientId}/messages", id: "listDeviceMessages", .people, scope: .read,
        summary: "List the result of each campaign on a device",
        description: "Of the campaigns that had the device in their audience, newest first.",
        parameters: pageOfMessages.parameters + [installation], response: "One page.", does: messages
    )

    private static let installation = OperationParameter(
        name: "installation", place: .query, schema: .integer(1...Int64.max),
        description: """
            The number of the installation, where several have this id. Without it, the newest that has a contact is \
            meant.
            """
    )

    package static let revokeDevice = AdminRoute(
        .post(audit: "device.revoke"), inApp: "/devices/{clientId}/revoke", id: "revokeDevice", .people,
        scope: .admin, summary: "End a device's tokens",
        description: """
            For a lost device, or one whose tokens may have leaked. Its tokens, its client state, its push token and \
            its link end. It must register and link again.
            """,
        response: "The tokens were revoked.", isAcceptedOnFullDisk: true, does: revoke
    )

    package static let explain = AdminRoute(
        .get, inApp: "/explain", id: "explain", .people, scope: .read,
        summary: "Explain why a device or a person did or did not get a campaign",
        description: """
            For a device, or for a contact, by its key or its party identifier: then every device and the message \
            center are explained. A party identifier that several contacts have is a conflict (`severalContacts`).
            """,
        parameters: [
            OperationParameter(
                name: "campaign", place: .query, schema: .of(CampaignID.self), description: "The campaign.",
                isRequired: true
            ),
            OperationParameter(
                name: "device", place: .query, schema: .of(DeviceID.self),
                description: "The device; or use `contact`."
            ),
            OperationParameter(
                name: "contact", place: .query, schema: .string(1...ContactKey.maximumLength),
                description: "The key of the contact; or use `device`, or a party identifier."
            ),
            installation,
        ] + PartyQuery.explained,
        response: "The reason, as a word and as a sentence.", errors: [.conflict], does: explanation
    )

    private static func find(_ call: AdminCall<NoBody>, app: AppService.App) async throws -> Done<DeviceResponse> {
        let profile = try await call.services.directory.device(
            call.part("clientId"), installation: try installation(of: call), app: app
        )
        return Done(DeviceResponse(profile, maximumBadge: app.settings.maximumBadge))
    }

    private static func events(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<DeviceEventsResponse> {
        let page = try call.page(Self.pageOfEvents)
        let (events, cursor) = try await call.services.directory.events(
            of: call.part("clientId"), installation: try installation(of: call), app: app,
            matching: try EventQuery(call.request).filter, cursor: page.cursor, limit: page.limit
        )
        let entries = events.map {
            DeviceEventsResponse.Entry(
                id: $0.eventID, name: $0.name, timestamp: Timestamp.text($0.deviceAt ?? $0.at),
                correctedTimestamp: $0.deviceAt == nil ? nil : Timestamp.text($0.at), attributes: $0.attributes
            )
        }
        return Done(DeviceEventsResponse(events: entries, cursor: cursor))
    }

    private static func messages(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<DeviceMessagesResponse> {
        let page = try call.page(Self.pageOfMessages)
        // One more row than the page has shows whether there is a next page.
        let found = try await call.services.explainer.messages(
            of: call.part("clientId"), installation: try installation(of: call), app: app, before: page.number(),
            limit: page.limit + 1
        )
        let shown = found.prefix(page.limit)
        let response = DeviceMessagesResponse(
            messages: shown.map(DeviceMessagesResponse.Entry.init),
            cursor: found.count > shown.count ? shown.last?.campaign.id.description : nil
        )
        return Done(response)
    }

    /// A body is ignored.
    private static func revoke(_ call: AdminCall<NoBody>, app: AppService.App) async throws -> Done<NoBody> {
        let number = try await call.services.links.revoke(call.part("clientId"), app: app)
        // The log gets the number, not the id: after an erasure, the log must not name the person's installation.
        return Done(to: String(number))
    }

    private static func explanation(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<ExplainResponse> {
        guard let campaign = parameter("campaign", of: call) else {
            throw APIError.missing("campaign", "\(usage); 'campaign' is missing.")
        }
        guard let id = CampaignID(campaign) else {
            throw ServiceError.notFound(what: "campaign", id: String(campaign.prefix(32)))
        }
        let explainer = call.services.explainer
        let subjects = try subjects(of: call)
        guard let subject = subjects.first else { throw APIError.missing("device", "\(usage); 'device' is missing.") }
        guard subjects.count == 1 else {
            throw APIError(.badRequest, ErrorCode.badRequest, "\(usage), and only one of them.", target: "contact")
        }
        switch subject {
        case .device(let device):
            let explanation = try await explainer.explain(
                id, device: device, installation: try installation(of: call), app: app
            )
            return Done(ExplainResponse(explanation))
        case .person(let person):
            return Done(ExplainResponse(try await explainer.explain(id, person: person, app: app)))
        }
    }

    private enum Subject {
        case device(String)
        case person(PersonReference)
    }

    /// The device or contact that the call asks about. The request must name exactly one.
    private static func subjects(of call: AdminCall<NoBody>) throws -> [Subject] {
        var subjects: [Subject] = []
        if let device = parameter("device", of: call) { subjects.append(.device(device)) }
        if let contact = parameter("contact", of: call) {
            guard !contact.utf8.contains(0) else { throw ServiceError.notFound(what: "contact", id: "") }
            subjects.append(.person(.key(contact)))
        }
        if let party = try PartyQuery.search(call.request, isOrphaned: false) {
            subjects.append(.person(.party(party)))
        }
        return subjects
    }

    /// Which of the installations with the same id is meant; nil when the request does not say.
    private static func installation(of call: AdminCall<NoBody>) throws(APIError) -> Int64? {
        guard let text = parameter("installation", of: call) else { return nil }
        guard let number: Int64 = WholeNumber.read(text), number > 0 else {
            throw APIError(
                .badRequest, ErrorCode.badRequest, "It is the number of an installation, such as 12.",
                target: "installation"
            )
        }
        return number
    }

    private static let usage = "Use ?campaign=ID with &device=ID, &contact=KEY or &partyNumber=NUMBER"

    private static func parameter(_ name: String, of call: AdminCall<NoBody>) -> String? {
        call.request.uri.queryParameters[name[...]].flatMap { $0.isEmpty ? nil : String($0) }
    }
}
