import BelfryModel
import BelfryServices
import BelfryWire
import Hummingbird

/// The routes for a person's rights: export and erasure of their data (ADM-4, REG-36).
package enum ErasureRoutes {
    package static let page = PageLimits(standard: 100, maximum: 1_000)

    private static let erasing = "contact.erase"

    static let all: [Route<AdminRequestContext>] = [
        exportContact.route, eraseContact.route, listErasures.route, readErasure.route,
    ]

    package static let exportContact = AdminRoute(
        .get, inApp: "/contacts/{contactKey}/export", id: "exportContact", .people, scope: .admin,
        summary: "Export everything that is known of a person",
        description: """
            One JSON document: the contact, its devices, when they came and left, what they registered, their events, the \
            messages of its message centers, its part of the ledger, its in-app messages, and what rehearsals found for \
            its devices. It is sent as it is read, so it may be long; what changes meanwhile may \
            or may not be in it. A response that ends early is cut off: its last brace is missing.
            """,
        response: "All of it.", does: export
    )

    package static let eraseContact = AdminRoute(
        .post(audit: erasing), inApp: "/contacts/{contactKey}/erase", id: "eraseContact", .people,
        scope: .admin, summary: "Erase a contact",
        description: """
            With its devices, their events and registrations, its former keys, and its name in audiences. Campaign \
            figures do not change, but no longer name the person. The devices get a 410 with the code `erased`. A \
            contact with more than 100 devices, or very many events or merged contacts, is erased in several steps; \
            meanwhile no other device is linked to it. Repeat an interrupted request with another `Idempotency-Key`: \
            the receipt stays the same.
            """,
        response: "What was erased, with a receipt.", isAcceptedOnFullDisk: true, does: erase
    )

    package static let listErasures = AdminRoute(
        .get, inApp: "/erasures", id: "listErasures", .people, scope: .admin, summary: "List the receipts of erasures",
        description: "Newest first. They do not name the person.", parameters: page.parameters, response: "One page.",
        does: list
    )

    package static let readErasure = AdminRoute(
        .get, inApp: "/erasures/{receipt}", id: "readErasure", .people, scope: .admin,
        summary: "Read the receipt of an erasure", response: "What was erased, and when.", does: find
    )

    private static func export(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<ContactExportResponse> {
        let export = try await call.services.contacts.export(call.part("contactKey"), app: app)
        let now = call.services.now()
        let body = ResponseBody { writer in
            var document = ContactExportDocument(export, app: app.code, at: now)
            try await document.write { bytes in try await writer.write(ByteBuffer(bytes: bytes)) }
            try await writer.finish(nil)
        }
        return Done(streaming: body, to: String(export.contact.id))
    }

    private static func erase(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<ContactErasureResponse> {
        let key = try call.part("contactKey")
        let contacts = call.services.contacts
        let number = try await contacts.number(of: .key(key), app: app)
        let receipt = try await call.services.access.announcing(
            erasing, by: call.context.principal, app: app.code, target: String(number)
        ) {
            try await contacts.erase(.number(number), app: app)
        }
        return Done(ContactErasureResponse(contactKey: key, receipt), to: String(receipt.contact))
    }

    private static func list(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<ErasureListResponse> {
        let page = try call.page(Self.page)
        let found = try await call.services.contacts.receipts(app: app, before: page.number(), limit: page.limit)
        let response = ErasureListResponse(
            erasures: found.receipts.map(ErasureResponse.init), cursor: found.next.map { String($0) }
        )
        return Done(response)
    }

    private static func find(_ call: AdminCall<NoBody>, app: AppService.App) async throws -> Done<ErasureResponse> {
        Done(ErasureResponse(try await call.services.contacts.receipt(call.part("receipt"), app: app)))
    }
}
