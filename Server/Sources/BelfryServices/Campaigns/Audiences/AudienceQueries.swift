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

/// What people ask of an audience before they launch anything to it (CAMP-3, CON-5).
package struct AudienceQueries: Sendable {
    /// People that a sample shows.
    package static let samplePeople = 10
    /// Devices that are looked at for them: a person has several.
    private static let sampleDevices = 40

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let shared = SharedCounts()

    /// How many devices belong to an audience now (CAMP-3).
    package func count(_ condition: Condition, app: AppRecord) async throws -> Int {
        try await AudienceCounter(database: database, environment: environment).count(condition, app: app)
    }

    /// The same for a form, which asks again and again: what was counted less than a second ago is given again.
    package func recentCount(_ condition: Condition, app: AppRecord) async throws -> Int {
        let counter = AudienceCounter(database: database, environment: environment)
        return try await shared.count(condition, app: app, by: counter)
    }

    /// Some people of an audience: the first ones, each once.
    ///
    /// - Parameter attributes: what is told of each; those that the app has not defined are left out.
    package func people(
        of audience: Condition, attributes: [String], app: AppRecord
    ) async throws -> [AudiencePerson] {
        let now = environment.now()
        let wanted: [RecipientValue] = attributes.map { .attribute($0) }
        let recipients = try await database.asked(app) { asked in
            try AudienceRecipients(asked: asked, app: app, audience: audience, values: wanted)
                .next(after: 0, limit: Self.sampleDevices, now: now)
        }
        let numbers = recipients.compactMap(\.contact)
        let keys = try await database.glance { try $0.contacts.knownKeys(of: numbers) }
        var (people, seen): ([AudiencePerson], Set<Int64>) = ([], [])
        for recipient in recipients where people.count < Self.samplePeople {
            if let contact = recipient.contact, !seen.insert(contact).inserted { continue }
            let values = zip(attributes, recipient.values).compactMap { name, text in
                text.map { DraftPreview.Value(name: name, text: $0) }
            }
            people.append(
                AudiencePerson(
                    contact: recipient.contact, key: recipient.contact.flatMap { keys[$0] },
                    device: recipient.client.rawValue, values: values
                )
            )
        }
        return people
    }

    /// The clocks of an audience, the most frequent first; beyond a number of them the rest is left out.
    package func zones(of audience: Condition, app: AppRecord) async throws -> [AudienceZone] {
        let now = environment.now()
        let counts = try await database.asked(app) { asked in
            let compiler = AudienceCompiler(connection: asked.connection, app: app.id)
            try compiler.check(audience)
            return try asked.zones(app: app.id, audience: compiler.predicate(audience, now: now))
        }
        return counts.map { AudienceZone(zone: $0.key, devices: $0.value) }.sorted {
            ($1.devices, $0.zone ?? "") < ($0.devices, $1.zone ?? "")
        }
    }
}

extension SQLDatabase {
    /// Asks for an audience that somebody waits for.
    func asked<Output: Sendable>(
        _ app: AppRecord, _ body: @escaping @Sendable (PredicateConnection) throws -> Output
    ) async throws -> Output {
        do {
            return try await ask(.counting(app: app.id), body)
        } catch let error where error.meansOverload {
            throw ServiceError.ofAudience(error)
        }
    }
}
