import BelfryModel
import BelfryServerModel
import BelfryStore

/// Somebody of an audience, for whoever composes it (CON-5).
package struct AudiencePerson: Hashable, Sendable {
    /// The contact's number; nil for a device that nobody is known on.
    package let contact: Int64?
    /// Of a known contact.
    package let key: String?
    package let device: String
    /// The attributes that were asked for and that the person has, in their order.
    package let values: [DraftPreview.Value]
}

/// How many devices of an audience have the same clock.
package struct AudienceZone: Hashable, Sendable {
    /// As the devices name it; nil: they name none, and the app's counts.
    package let zone: String?
    package let devices: Int
}

extension CampaignService {
    /// People that a sample shows.
    package static let samplePeople = 10
    /// Devices that are looked at for them: a person has several.
    private static let sampleDevices = 40

    /// Some people of an audience: the first ones, each once.
    ///
    /// - Parameter attributes: what is told of each; those that the app has not defined are left out.
    package func people(
        of audience: Condition, attributes: [String], app: AppRecord
    ) async throws -> [AudiencePerson] {
        let now = environment.now()
        let wanted: [RecipientValue] = [RecipientValue.contactKey] + attributes.map { .attribute($0) }
        let recipients = try await asked(app) { asked in
            try asked.recipients(
                of: audience, after: 0, values: wanted, limit: Self.sampleDevices, app: app, now: now
            )
        }
        let numbers = recipients.compactMap(\.contact)
        let known = try await database.read { connection in
            Set(try numbers.filter { try connection.contacts.find(id: $0)?.known ?? false })
        }
        var (people, seen): ([AudiencePerson], Set<Int64>) = ([], [])
        for recipient in recipients where people.count < Self.samplePeople {
            if let contact = recipient.contact, !seen.insert(contact).inserted { continue }
            let values = zip(attributes, recipient.values.dropFirst()).compactMap { name, text in
                text.map { DraftPreview.Value(name: name, text: $0) }
            }
            people.append(
                AudiencePerson(
                    contact: recipient.contact,
                    key: recipient.contact.map { known.contains($0) } == true ? recipient.values.first ?? nil : nil,
                    device: recipient.client.rawValue, values: values
                )
            )
        }
        return people
    }

    /// The clocks of an audience, the most frequent first; beyond a number of them the rest is left out.
    package func zones(of audience: Condition, app: AppRecord) async throws -> [AudienceZone] {
        let now = environment.now()
        let counts = try await asked(app) { asked in
            let compiler = AudienceCompiler(connection: asked.connection, app: app.id)
            try compiler.check(audience)
            return try asked.zones(app: app.id, audience: compiler.predicate(audience, now: now))
        }
        return counts.map { AudienceZone(zone: $0.key, devices: $0.value) }.sorted {
            ($1.devices, $0.zone ?? "") < ($0.devices, $1.zone ?? "")
        }
    }
}
