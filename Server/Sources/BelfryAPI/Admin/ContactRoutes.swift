import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryWire

/// Contacts, and how one goes: as an orphan, or because its person asked for it (ADM-2, REG-24, REG-36).
package enum ContactRoutes {
    package static let page = PageLimits(standard: 100, maximum: 1_000)

    static let all = [listContacts.route, readContact.route, deleteContact.route, eraseContact.route]

    package static let listContacts = AdminRoute(
        .get, inApp: "/contacts", id: "listContacts", .people, scope: .read, summary: "List the contacts",
        description: "Newest first.", parameters: page.parameters + [orphaned] + PartyQuery.parameters,
        response: "One page.", does: list
    )

    private static let orphaned = OperationParameter(
        name: "orphaned", place: .query, schema: .word(["", "true", "false"]),
        description: """
            Only contacts that have no device and no history. One page searches 1,000 contacts, so it may have fewer \
            than its limit, or none. Continue with its cursor.
            """,
        mayBeEmpty: true
    )

    package static let readContact = AdminRoute(
        .get, inApp: "/contacts/{contactKey}", id: "readContact", .people, scope: .read, summary: "Read a contact",
        response: "The contact and its devices.", does: find
    )

    package static let deleteContact = AdminRoute(
        .delete(audit: "contact.delete"), inApp: "/contacts/{contactKey}", id: "deleteContact", .people,
        scope: .admin, summary: "Remove an orphaned contact",
        description: "A contact that has a device or a history is a conflict.", response: "The contact was removed.",
        does: removeOrphan
    )

    package static let eraseContact = AdminRoute(
        .post(audit: "contact.erase"), inApp: "/contacts/{contactKey}/erase", id: "eraseContact", .people,
        scope: .admin, summary: "Erase a contact",
        description: """
            With its devices, their events and registrations. Campaign figures do not change, but no longer name the \
            person. The devices get a 410 with the code `erased`. A contact with more than 100 devices is erased in \
            several steps; repeat an interrupted request with another `Idempotency-Key`.
            """,
        response: "What was erased.", does: erase
    )

    private static func list(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<ContactListResponse> {
        let page = try call.page(Self.page)
        let orphaned = try isOrphaned(call)
        let party = try PartyQuery.search(call.request, isOrphaned: orphaned)
        let found = try await call.services.directory.contacts(
            app: app, orphaned: orphaned, party: party, before: page.number(), limit: page.limit
        )
        let response = ContactListResponse(
            contacts: found.contacts.map {
                .init(
                    contactKey: $0.key, known: $0.known, createdAt: Timestamp.text($0.createdAt),
                    lastOpenedAt: $0.lastOpenedAt.map(Timestamp.text)
                )
            },
            cursor: found.next.map { String($0) }
        )
        return Done(response)
    }

    private static func find(_ call: AdminCall<NoBody>, app: AppService.App) async throws -> Done<ContactResponse> {
        Done(ContactResponse(try await call.services.directory.contact(call.part("contactKey"), app: app)))
    }

    private static func removeOrphan(_ call: AdminCall<NoBody>, app: AppService.App) async throws -> Done<NoBody> {
        let number = try await call.services.contacts.removeOrphan(call.part("contactKey"), app: app)
        // Not its key: a person is not to outlive in the log.
        return Done(to: String(number))
    }

    private static func erase(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<ContactErasureResponse> {
        let key = try call.part("contactKey")
        let erasure = try await call.services.contacts.erase(key, app: app)
        let response = ContactErasureResponse(contactKey: key, devices: erasure.devices, events: erasure.events)
        return Done(response, to: String(erasure.number))
    }

    private static func isOrphaned(_ call: AdminCall<NoBody>) throws(APIError) -> Bool {
        guard let value = call.request.uri.queryParameters["orphaned"] else { return false }
        switch value.lowercased() {
        case "", "true": return true
        case "false": return false
        default: throw APIError(.badRequest, ErrorCode.badRequest, "It must be true or false.", target: "orphaned")
        }
    }
}
