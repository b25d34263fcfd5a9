import BelfryModel
import BelfryStore
import Foundation
import Logging
import ServiceLifecycle

/// Follows the definitions of attributes in the background (REG-25): contacts lose the values of removed ones, and what
/// devices sent of new ones before they were defined is applied, from their newest snapshots for each contact.
///
/// It goes through both in pages, each a small write, and notes how far it has come. So a restart goes on from there,
/// and several processes do no harm to each other: only one of them gets on from the same place. After each page it is the
/// next app's turn: the review of one whose definitions change again and again comes to no end, and holds up no other.
///
/// What stands in rows may end the process that reads it. So each page is counted before it is begun, and the review of an
/// app whose page fails or ends the process each time is set aside, while those of the other apps go on (SEC-8).
package struct AttributeReviewer: Service {
    /// How often it looks whether definitions have changed, in seconds.
    static let interval: TimeInterval = 1
    /// Numbers of contacts that are looked through at once.
    static let contacts: Int64 = 500
    /// The same of registrations, whose snapshots are long.
    static let registrations: Int64 = 50
    /// How long the review of an app rests when a page of it has failed, in seconds. Those of other apps go on meanwhile.
    static let restAfterFailure: TimeInterval = 5

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let attempts: WorkAttempts
    let logger: Logger

    package init(
        database: any SQLDatabase, environment: ServerEnvironment, attempts: WorkAttempts, logger: Logger
    ) {
        self.database = database
        self.environment = environment
        self.attempts = attempts
        self.logger = logger
    }

    package func run() async {
        await environment.repeatUntilShutdown(every: Self.interval) { try await reviewAll() }
    }

    /// Reviews everything that is to be reviewed. If something fails, the rest is left for the next time, which begins with
    /// another app.
    package func reviewAll() async throws(CancellationError) {
        do {
            var last = Int64.min
            while let app = try await reviewNext(after: last) {
                last = app
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
    /// - Parameter last: the app whose page was the last one.
    /// - Returns: the app whose page it was; nil when there is nothing to review.
    package func reviewNext(after last: Int64 = .min) async throws -> Int64? {
        let (owner, now) = (attempts.owner, environment.now())
        let next = try await database.read { try $0.attributeReviews.next(after: last, for: owner, now: now) }
        guard let review = next else { return nil }
        let subject = WorkSubject.attributeReview(app: review.app)
        // One that was set aside just now lets the next one go on. Where many are reviewed, the circle comes back late.
        _ = try await attempts.step(subject, rest: Self.restAfterFailure, isGivenBack: true) {
            () async throws -> (isDone: Bool, output: Bool) in
            (isDone: try await reviewPage(of: review), output: true)
        }
        return review.app
    }

    /// - Returns: whether the review has come to its end.
    private func reviewPage(of review: AttributeReview) async throws -> Bool {
        if let position = review.contactsAfter {
            try await reviewContacts(of: review, after: position)
            return false
        }
        guard review.registrationsThrough > 0 else {
            try await database.write { connection in
                try connection.attributeReviews.end(review)
                try connection.workAttempts.stepped(.attributeReview(app: review.app), isDone: true)
            }
            return true
        }
        try await reviewRegistrations(of: review)
        return false
    }

    /// Removes values of attributes that are not defined any more.
    private func reviewContacts(of review: AttributeReview, after position: Int64) async throws {
        let (app, now) = (review.app, environment.now())
        let ids = (position + 1)...(position + Self.contacts)
        let last = try await database.read { try $0.contacts.highestID() }
        let skipped = try await database.write(turn: .patient) { connection -> [Int64] in
            // Fewer where they have very much: nobody else writes meanwhile.
            let page = try connection.contacts.withAttributes(ids, app: app)
            let next = review.reaching(
                contactsAfter: page.reached < last ? page.reached : nil,
                registrationsThrough: review.registrationsThrough
            )
            guard try connection.attributeReviews.advance(review, to: next) else { return [] }
            try connection.workAttempts.stepped(.attributeReview(app: app), isDone: false)
            let schema = try connection.attributes.schema(app: app)
            var skipped = page.unreadable
            for contact in page.contacts {
                let defined = contact.defined(in: schema)
                guard defined != contact else { continue }
                do {
                    try connection.contacts.save(defined, now: now)
                } catch let error where error.meansUnreadable {
                    // Nothing of it was written: the times of its values are read first.
                    skipped.append(contact.id)
                }
            }
            try connection.audiences.emptyRemoved(of: ids.lowerBound...page.reached, app: app)
            return skipped
        }
        tell(of: skipped, "contacts", app: app)
    }

    /// Reads the newest snapshots of devices again, of each for each of its contacts, the newest of all first.
    private func reviewRegistrations(of review: AttributeReview) async throws {
        let (app, now) = (review.app, environment.now())
        let ids = max(1, review.registrationsThrough - Self.registrations + 1)...review.registrationsThrough
        let found = try await database.read { try RegistrationPage(ids, app: app, in: $0) }
        let next = review.reaching(contactsAfter: nil, registrationsThrough: found.reached - 1)
        // A position that is lost with the power is no harm: the page is only looked through again.
        let turn: WritePriority = found.changed.isEmpty ? .unsynced : .patient
        let skipped = try await database.write(turn: turn) { [environment] connection -> [Int64] in
            guard try connection.attributeReviews.advance(review, to: next) else { return [] }
            try connection.workAttempts.stepped(.attributeReview(app: app), isDone: false)
            return try found.apply(in: connection, now: now, environment: environment)
        }
        tell(of: skipped, "registrations", app: app)
    }

    /// Rows that cannot be read stay as they are. Their numbers are all that may be told of them (SEC-3).
    private func tell(of skipped: [Int64], _ kind: String, app: Int64) {
        guard !skipped.isEmpty else { return }
        let numbers = skipped.map { "\($0)" }.joined(separator: " ")
        logger.error(
            "rows cannot be read and are left out of a review of attributes",
            metadata: ["\(kind)": "\(numbers)", "app": "\(app)"]
        )
    }
}

/// The newest registrations among some numbers that say something else by the present definitions.
private struct RegistrationPage: Sendable {
    let app: Int64
    let changed: [RegistrationRow]
    /// Those that cannot be read, or whose device cannot.
    let unreadable: [Int64]
    /// The last number that was looked at.
    let reached: Int64

    init(_ ids: ClosedRange<Int64>, app: Int64, in connection: any SQLConnection) throws {
        let schema = try connection.attributes.schema(app: app)
        let newest = try connection.registrations.newestOfEachContact(ids, app: app)
        var changed: [RegistrationRow] = []
        var unreadable = newest.unreadable
        for row in newest.rows {
            do {
                let review = try Self.review(of: row, schema: schema, in: connection)
                if review?.isChange ?? false { changed.append(row) }
            } catch let error where error.meansUnreadable {
                unreadable.append(row.id)
            }
        }
        self.app = app
        self.changed = changed
        self.unreadable = unreadable
        reached = newest.reached
    }

    /// - Returns: the numbers of those that were left as they are, because something cannot be read.
    func apply(in connection: any SQLConnection, now: Date, environment: ServerEnvironment) throws -> [Int64] {
        guard !changed.isEmpty else { return unreadable }
        let schema = try connection.attributes.schema(app: app)
        var skipped = unreadable
        for row in changed {
            do {
                // It may have been erased, or another one applied, since it was read.
                guard try connection.registrations.newestOfEachContact(row.id...row.id, app: app).rows == [row],
                    let review = try Self.review(of: row, schema: schema, in: connection)
                else { continue }
                try review.apply(in: connection, now: now, environment: environment)
            } catch let error where error.meansUnreadable {
                // Nothing of it was written: a review reads all that it needs first.
                skipped.append(row.id)
            }
        }
        return skipped
    }

    /// Nil for a snapshot that cannot be read any more, too: it stays as it was applied.
    private static func review(
        of row: RegistrationRow, schema: [String: AttributeType], in connection: any SQLConnection
    ) throws -> SnapshotReview? {
        guard let device = try connection.devices.findAnywhere(id: row.device) else { return nil }
        return try? SnapshotReview(of: row, device: device, schema: schema)
    }
}

extension AttributeReview {
    /// The same review behind the page where it stands.
    var behindThisPage: AttributeReview {
        guard let contactsAfter else {
            let left = max(0, registrationsThrough - AttributeReviewer.registrations)
            return reaching(contactsAfter: nil, registrationsThrough: left)
        }
        return reaching(
            contactsAfter: contactsAfter + AttributeReviewer.contacts, registrationsThrough: registrationsThrough
        )
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
