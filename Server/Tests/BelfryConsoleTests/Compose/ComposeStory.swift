import BelfryModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation

@testable import BelfryConsole

extension CampaignStory {
    /// Makes a known contact of one of the devices, with what is known of them.
    func person(
        _ key: String, device number: Int, _ attributes: [String: AttributeValue] = [:], zone: String? = nil
    ) async throws -> Int64 {
        let (app, now, client) = (app.id, console.clock.now, Self.device(number))
        return try await console.database.write { connection in
            let id = try connection.contacts.findOrInsert(app: app, key: key, known: true, now: now)
            var contact = try Self.found(connection.contacts.find(id: id))
            contact.attributes = attributes
            contact.known = true
            try connection.contacts.save(contact, now: now)
            try connection.execute(
                "UPDATE devices SET contact_id = ?, time_zone = ? WHERE client_id = ?",
                [.integer(id), .optional(zone), .text(client)]
            )
            try connection.audiences.rebuild(app: app)
            return id
        }
    }

    private static func found(_ contact: ContactProfile.Contact?) throws -> ContactProfile.Contact {
        guard let contact else { throw ServiceError.notFound(what: "contact", id: "") }
        return contact
    }

    /// The form of a page as it stands, with other values in some fields.
    static func changed(_ form: PageForm, _ changes: [String: [String]]) -> [String: [String]] {
        form.values.merging(changes) { $1 }
    }
}

/// Texts that pages must not take for markup, nor break on.
enum HostileMarkup {
    static let script = "</textarea></title><script>alert('x')</script><img src=x onerror=\"y\">"
    static let all = [
        script, "\" autofocus onfocus=\"alert(1)", "{{{city}}} {{#if}} ]]> <!--", "\u{202E}drowssap\u{2066}",
        "👩‍👩‍👧‍👦🏳️‍🌈", String(repeating: "w", count: 10_000),
    ]
}
