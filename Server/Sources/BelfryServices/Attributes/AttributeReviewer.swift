import BelfryModel
import BelfryStore
import Foundation
import Logging
import ServiceLifecycle

/// Follows the definitions of attributes in the background (REG-25): contacts lose the values of removed ones, and what
/// devices sent of new ones before they were defined is applied, from their newest snapshots for each contact.
///
/// It goes through both in pages, each a small write, and notes how far it has come. So a restart goes on from there,
/// and several processes do no harm to each other: only one of them gets on from the same place.
package struct AttributeReviewer: Service {
    /// How often it looks whether definitions have changed, in seconds.
    static let interval: TimeInterval = 1
    /// Numbers of contacts that are looked through at once.
    static let contacts: Int64 = 500
    /// The same of registrations, whose snapshots are long.
    static let registrations: Int64 = 50

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let logger: Logger

    package init(database: any SQLDatabase, environment: ServerEnvironment, logger: Logger) {
        self.database = database
        self.environment = environment
        self.logger = logger
    }

    package func run() async {
        await environment.repeatUntilShutdown(every: Self.interval) { try await reviewAll() }
    }

    /// Reviews everything that is to be reviewed. If the database fails, the rest is left for later.
    package func reviewAll() async throws(CancellationError) {
        do {
            while try await reviewNext() {
                guard !Task.isCancelled else { throw CancellationError() }
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            logger.failed("attributes cannot be reviewed", error)
        }
    }

    /// Reviews one page.
    ///
    /// - Returns: false when there is nothing to review.
    package func reviewNext() async throws -> Bool {
        guard let review = try await database.read({ try $0.attributeReviews.next() }) else { return false }
        if let position = review.contactsAfter {
            try await reviewContacts(of: review, after: position)
        } else if review.registrationsThrough > 0 {
            try await reviewRegistrations(of: review)
        } else {
            try await database.write { try $0.attributeReviews.end(review) }
        }
        return true
    }

    /// Removes values of attributes that are not defined any more.
    private func reviewContacts(of review: AttributeReview, after position: Int64) async throws {
        let (app, now) = (review.app, environment.now())
        let ids = (position + 1)...(position + Self.contacts)
        let last = try await database.read { try $0.contacts.highestID() }
        try await database.write(turn: .patient) { connection in
            // Fewer where they have very much: nobody else writes meanwhile.
            let (contacts, reached) = try connection.contacts.withAttributes(ids, app: app)
            let next = review.reaching(
                contactsAfter: reached < last ? reached : nil, registrationsThrough: review.registrationsThrough
            )
            guard try connection.attributeReviews.advance(review, to: next) else { return }
            let schema = try connection.attributes.schema(app: app)
            for contact in contacts {
                let defined = contact.defined(in: schema)
                if defined != contact { try connection.contacts.save(defined, now: now) }
            }
            try connection.audiences.emptyRemoved(of: ids.lowerBound...reached, app: app)
        }
    }

    /// Reads the newest snapshots of devices again, of each for each of its contacts, the newest of all first.
    private func reviewRegistrations(of review: AttributeReview) async throws {
        let (app, now) = (review.app, environment.now())
        let ids = max(1, review.registrationsThrough - Self.registrations + 1)...review.registrationsThrough
        let (changed, reached) = try await database.read { connection -> ([RegistrationRow], Int64) in
            let schema = try connection.attributes.schema(app: app)
            let newest = try connection.registrations.newestOfEachContact(ids, app: app)
            let changed = try newest.rows.filter { row in
                try connection.devices.findAnywhere(id: row.device)
                    .flatMap { Self.review(of: row, device: $0, schema: schema) }?.isChange ?? false
            }
            return (changed, newest.reached)
        }
        let next = review.reaching(contactsAfter: nil, registrationsThrough: reached - 1)
        // A position that is lost with the power is no harm: the page is only looked through again.
        try await database.write(turn: changed.isEmpty ? .unsynced : .patient) { [environment] connection in
            guard try connection.attributeReviews.advance(review, to: next), !changed.isEmpty else { return }
            let schema = try connection.attributes.schema(app: app)
            for row in changed {
                // It may have been erased, or another one applied, since it was read.
                guard try connection.registrations.newestOfEachContact(row.id...row.id, app: app).rows == [row],
                    let device = try connection.devices.findAnywhere(id: row.device),
                    let review = Self.review(of: row, device: device, schema: schema)
                else { continue }
                try review.apply(in: connection, now: now, environment: environment)
            }
        }
    }

    /// Nil for a snapshot that cannot be read any more, too: it stays as it was applied.
    private static func review(
        of row: RegistrationRow, device: DeviceRow, schema: [String: AttributeType]
    ) -> SnapshotReview? {
        try? SnapshotReview(of: row, device: device, schema: schema)
    }
}

extension ContactRow {
    /// The contact without values of attributes that the app does not define.
    fileprivate func defined(in schema: [String: AttributeType]) -> ContactRow {
        var contact = self
        contact.attributes = attributes.filter { schema[$0.key] != nil }
        return contact
    }
}
