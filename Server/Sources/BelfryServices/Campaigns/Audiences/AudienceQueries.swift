import BelfryModel
import BelfryServerModel
import BelfryStore

/// A person in the sample of an audience, for people who compose one (CON-5).
package struct AudiencePerson: Hashable, Sendable {
    /// The contact's number; nil for a device without a known contact.
    package let contact: Int64?
    /// The contact's key; nil without a known contact.
    package let key: String?
    package let device: String
    /// The requested attributes that the person has, in the requested order.
    package let values: [DraftPreview.Value]
}

/// How many devices of an audience have the same time zone.
package struct AudienceZone: Hashable, Sendable {
    /// The zone that the devices report; nil if they report none, so that the app's zone counts.
    package let zone: String?
    package let devices: Int
}

/// Queries about an audience before anything is launched to it (CAMP-3, CON-5).
package struct AudienceQueries: Sendable {
    /// The most people in a sample.
    package static let samplePeople = 10
    /// How many devices are read for a sample, because a person may have several.
    private static let sampleDevices = 40

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let shared = SharedCounts()

    /// How many devices belong to an audience now (CAMP-3).
    package func count(_ condition: Condition, app: AppRecord) async throws -> Int {
        try await AudienceCounter(database: database, environment: environment).count(condition, app: app)
    }

    /// The same count for a form, which asks repeatedly: a count that is less than a second old is returned again.
    package func recentCount(_ condition: Condition, app: AppRecord) async throws -> Int {
        let counter = AudienceCounter(database: database, environment: environment)
        return try await shared.count(condition, app: app, by: counter)
    }

    /// A sample of an audience: its first people, each once.
    ///
    /// - Parameter attributes: the attributes to return for each person; those that the app has not defined are left
    ///   out.
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

    /// The time zones of an audience's devices, the most frequent first; only a bounded number of zones is returned.
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
    /// Runs an audience query whose result somebody waits for.
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
