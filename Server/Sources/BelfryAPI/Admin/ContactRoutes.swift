import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryWire

/// The routes for contacts, and for the removal of an orphaned one (ADM-2, REG-24).
package enum ContactRoutes {
    package static let page = PageLimits(standard: 100, maximum: 1_000)

    static let all = [listContacts.route, readContact.route, deleteContact.route]

    package static let listContacts = AdminRoute(
        .get, inApp: "/contacts", id: "listContacts", .people, scope: .read, summary: "List the contacts",
        description: "Newest first; those of a search by prefix in the order of their keys.",
        parameters: page.parameters + [prefix, orphaned] + PartyQuery.parameters, response: "One page.", does: list
    )

    private static let prefix = OperationParameter(
        name: "prefix", place: .query, schema: .string(0...ContactKey.maximumLength),
        description: """
            Only contacts whose key begins with this text, in the order of their keys. Not together with another filter.
            """,
        mayBeEmpty: true
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

    private static func list(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<ContactListResponse> {
        let page = try call.page(Self.page)
        let isOrphaned = try isOrphaned(call)
        let party = try PartyQuery.search(call.request, isOrphaned: isOrphaned)
        if let prefix = try prefix(of: call) {
            guard !isOrphaned, party == nil else {
                throw APIError(
                    .badRequest, ErrorCode.badRequest, "Use prefix without any other filter.", target: "prefix"
                )
            }
            let found = try await call.services.directory.contacts(
                app: app, prefix: prefix, cursor: page.cursor, limit: page.limit
            )
            let entries = found.contacts.map(ContactListResponse.Entry.init)
            return Done(ContactListResponse(contacts: entries, cursor: found.cursor))
        }
        let found = try await call.services.directory.contacts(
            app: app, orphaned: isOrphaned, party: party, before: page.number(), limit: page.limit
        )
        let response = ContactListResponse(
            contacts: found.contacts.map(ContactListResponse.Entry.init), cursor: found.next.map { String($0) }
        )
        return Done(response)
    }

    /// The prefix of the keys that are searched for; nil: there is no search.
    private static func prefix(of call: AdminCall<NoBody>) throws(APIError) -> String? {
        guard let value = call.request.uri.queryParameters["prefix"], !value.isEmpty else { return nil }
        guard value.utf8.count <= NamingRule.maximumBytes, !value.utf8.contains(0) else {
            throw APIError(
                .badRequest, ErrorCode.outOfRange,
                "A key has at most \(NamingRule.maximumBytes) bytes, and no null character.", target: "prefix"
            )
        }
        return String(value)
    }

    private static func find(_ call: AdminCall<NoBody>, app: AppService.App) async throws -> Done<ContactResponse> {
        Done(ContactResponse(try await call.services.directory.contact(call.part("contactKey"), app: app)))
    }

    private static func removeOrphan(_ call: AdminCall<NoBody>, app: AppService.App) async throws -> Done<NoBody> {
        let number = try await call.services.contacts.removeOrphan(call.part("contactKey"), app: app)
        // The log gets the number, not the key: after an erasure, the log must not name the person.
        return Done(to: String(number))
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
