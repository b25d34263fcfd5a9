import BelfryModel
import BelfryServices

/// The routes that rename and merge contacts (ADM-5).
package enum ContactKeyRoutes {
    static let all: [Route<AdminRequestContext>] = [renameContact.route, mergeContact.route]

    package static let renameContact = AdminRoute(
        .post(audit: "contact.rename"), inApp: "/contacts/{contactKey}/rename", id: "renameContact", .people,
        scope: .admin, summary: "Give a contact another key",
        description: """
            The former key stays as an alias: devices that identify with it, operators and audiences that name it reach \
            the same contact. An anonymous contact becomes known. A key of another contact is a conflict: merge the two \
            instead. The request may be repeated.
            """,
        response: "The contact under its new key.", does: rename
    )

    package static let mergeContact = AdminRoute(
        .post(audit: "contact.merge"), inApp: "/contacts/{contactKey}/merge", id: "mergeContact", .people,
        scope: .admin, summary: "Merge a contact into another one",
        description: """
            Its devices, attributes (the newer value wins), tags, messages, events and its part of the ledger become \
            the other contact's, and its key an alias. The other contact must be known. A contact with more than 100 \
            devices is merged in several steps; repeat an interrupted request with another `Idempotency-Key`. Repeated \
            afterwards, it changes nothing more.
            """,
        response: "The contact that remains.", does: merge
    )

    private static func rename(
        _ call: AdminCall<RenameContactRequest>, app: AppService.App
    ) async throws -> Done<ContactKeyResponse> {
        let body = try await call.body()
        let contact = try await call.services.contacts.rename(
            call.part("contactKey"), to: body.to, field: "to", app: app
        )
        // The log gets the number, not the keys: after an erasure, the log must not name the person.
        return Done(ContactKeyResponse(contactKey: contact.key), to: String(contact.id))
    }

    private static func merge(
        _ call: AdminCall<MergeContactRequest>, app: AppService.App
    ) async throws -> Done<ContactKeyResponse> {
        let body = try await call.body()
        let merged = try await call.services.contacts.merge(
            call.part("contactKey"), into: body.into, field: "into", app: app
        )
        let response = ContactKeyResponse(contactKey: merged.contact.key, devices: merged.devices)
        return Done(response, to: String(merged.contact.id))
    }
}

/// `POST …/contacts/{contactKey}/rename`.
package struct RenameContactRequest: Hashable, Sendable, Codable {
    package var to: String

    package init(to: String) {
        self.to = to
    }
}

extension RenameContactRequest: Described {
    static let schema: JSONSchema = .object(
        ["to": .string(1...ContactKey.maximumLength).described("The new key.")], isClosed: true
    )
}

/// `POST …/contacts/{contactKey}/merge`.
package struct MergeContactRequest: Hashable, Sendable, Codable {
    package var into: String

    package init(into: String) {
        self.into = into
    }
}

extension MergeContactRequest: Described {
    static let schema: JSONSchema = .object(
        ["into": .string(1...ContactKey.maximumLength).described("The key of the contact that remains.")],
        isClosed: true
    )
}

/// The contact after a rename or a merge.
package struct ContactKeyResponse: Hashable, Sendable, Codable {
    package var contactKey: String
    /// The number of devices that a merge has moved.
    package var devices: Int?

    package init(contactKey: String, devices: Int? = nil) {
        self.contactKey = contactKey
        self.devices = devices
    }
}

extension ContactKeyResponse: Described {
    static let schema: JSONSchema = .object(
        ["contactKey": .string()],
        optional: ["devices": .count.described("The number of devices that this request has moved by a merge.")]
    )
}
