import BelfryModel
import BelfryStore
import Foundation
import Logging
import ServiceLifecycle

/// Follows the definitions of attributes in the background (REG-25): it removes the values of removed attributes from
/// contacts, and applies values that devices sent before an attribute was defined, from their newest snapshots for each
/// contact.
///
/// It goes through contacts and registrations in pages, each a small write, and stores its position. So it continues
/// there after a restart, and several processes do no harm to each other: only one of them can advance from a position.
/// After each page it turns to the next app, because the review of an app whose definitions change again and again
/// never ends, and must not delay the others.
///
/// The content of a row may crash the process that reads it. So each page is counted before it begins. If the pages of
/// an app fail or crash every time, its review is quarantined, while those of the other apps continue (SEC-8).
package struct AttributeReviewer: Service {
    /// How often it looks whether definitions have changed, in seconds.
    static let interval: TimeInterval = 1
    /// Contacts that are read in one page.
    static let contacts: Int64 = 500
    /// Registrations that are read in one page. They are fewer than contacts, because snapshots are long.
    static let registrations: Int64 = 50
    /// How long the review of an app pauses when a page of it has failed, in seconds. The reviews of other apps
    /// continue meanwhile.
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

    /// Reviews every page that waits. If one fails, the rest waits for the next call, which begins with another app.
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
    /// - Parameter last: the app of the last page.
    /// - Returns: the app of this page. Nil when there is nothing to review.
    package func reviewNext(after last: Int64 = .min) async throws -> Int64? {
        let (owner, now) = (attempts.owner, environment.now())
        let next = try await database.read { try $0.attributeReviews.next(after: last, for: owner, now: now) }
        guard let review = next else { return nil }
        let subject = WorkSubject.attributeReview(app: review.app)
        // If this review was quarantined just now, the next one continues. With many reviews, an app's next turn comes
        // late.
        _ = try await attempts.step(subject, rest: Self.restAfterFailure, isGivenBack: true) {
            () async throws -> (isDone: Bool, output: Bool) in
            (isDone: try await reviewPage(of: review), output: true)
        }
        return review.app
    }

    /// - Returns: whether the review is complete.
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

    /// Removes values of attributes that are no longer defined.
    private func reviewContacts(of review: AttributeReview, after position: Int64) async throws {
        let (app, now) = (review.app, environment.now())
        let ids = (position + 1)...(position + Self.contacts)
        let last = try await database.read { try $0.contacts.highestID() }
        let skipped = try await database.write(turn: .patient) { connection -> [Int64] in
            // A page has fewer contacts where they have much data, because no other write can run meanwhile.
            let page = try connection.contacts.withAttributes(ids, app: app)
            let next = review.reaching(
                contactsAfter: page.reached < last ? page.reached : nil,
                registrationsThrough: review.registrationsThrough
            )
            guard try connection.attributeReviews.advance(review, to: next) else { return [] }
            try connection.workAttempts.stepped(.attributeReview(app: app), isDone: false)
            let schema = try connection.attributes.schema(app: app)
            try connection.hold { page.contacts.filter { $0.defined(in: schema) != $0 }.map { $0.id } }
            var skipped = page.unreadable
            for contact in page.contacts {
                let defined = contact.defined(in: schema)
                guard defined != contact else { continue }
                do {
                    try connection.contacts.save(defined, now: now)
                } catch let error where error.meansUnreadable {
                    // Nothing of the contact was written: the times of its values are read first.
                    skipped.append(contact.id)
                }
            }
            try connection.audiences.emptyRemoved(of: ids.lowerBound...page.reached, app: app)
            return skipped
        }
        tell(of: skipped, "contacts", app: app)
    }

    /// Reads devices' newest snapshots again, one for each of a device's contacts, the newest of all first.
    private func reviewRegistrations(of review: AttributeReview) async throws {
        let (app, now) = (review.app, environment.now())
        let ids = max(1, review.registrationsThrough - Self.registrations + 1)...review.registrationsThrough
        let found = try await database.read { try RegistrationPage(ids, app: app, in: $0) }
        let next = review.reaching(contactsAfter: nil, registrationsThrough: found.reached - 1)
        // If a power failure loses the position, the page is only reviewed again.
        let turn: WritePriority = found.changed.isEmpty ? .unsynced : .patient
        let skipped = try await database.write(turn: turn) { [environment] connection -> [Int64] in
            guard try connection.attributeReviews.advance(review, to: next) else { return [] }
            try connection.workAttempts.stepped(.attributeReview(app: app), isDone: false)
            return try found.apply(in: connection, now: now, environment: environment)
        }
        tell(of: skipped, "registrations", app: app)
    }

    /// Logs rows that cannot be read and stay as they are. Only their numbers may be logged (SEC-3).
    private func tell(of skipped: [Int64], _ kind: String, app: Int64) {
        guard !skipped.isEmpty else { return }
        let numbers = skipped.map { "\($0)" }.joined(separator: " ")
        logger.error(
            "rows cannot be read and are left out of a review of attributes",
            metadata: ["\(kind)": "\(numbers)", "app": "\(app)"]
        )
    }
}

/// The newest registrations in a range of numbers, and which of them change by the present definitions.
private struct RegistrationPage: Sendable {
    let app: Int64
    let changed: [RegistrationRow]
    /// Registrations that cannot be read, or whose device cannot.
    let unreadable: [Int64]
    /// The last number that was read.
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

    /// - Returns: the numbers of the registrations that were left unchanged, because something cannot be read.
    func apply(in connection: any SQLConnection, now: Date, environment: ServerEnvironment) throws -> [Int64] {
        guard !changed.isEmpty else { return unreadable }
        let schema = try connection.attributes.schema(app: app)
        try connection.hold {
            try changed.flatMap { row -> [Int64?] in
                do {
                    return try Self.review(of: row, schema: schema, in: connection)?.contacts(in: connection) ?? []
                } catch let error where error.meansUnreadable {
                    return []
                }
            }
        }
        var skipped = unreadable
        for row in changed {
            do {
                // The registration may have been erased, or a newer one applied, since it was read.
                guard try connection.registrations.isNewestOfItsContact(row, app: app),
                    let review = try Self.review(of: row, schema: schema, in: connection)
                else { continue }
                try review.apply(in: connection, now: now, environment: environment)
            } catch let error where error.meansUnreadable {
                // Nothing of the registration was written: a review reads all that it needs first.
                skipped.append(row.id)
            }
        }
        return skipped
    }

    /// The review of one registration. Nil when it changes nothing, and for a snapshot that can no longer be read.
    private static func review(
        of row: RegistrationRow, schema: [String: AttributeType], in connection: any SQLConnection
    ) throws -> SnapshotReview? {
        guard let device = try connection.devices.findAnywhere(id: row.device) else { return nil }
        return try? SnapshotReview(of: row, device: device, schema: schema)
    }
}

extension AttributeReview {
    /// The review with its position after this page.
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
    /// The contact without the values of undefined attributes.
    fileprivate func defined(in schema: [String: AttributeType]) -> ContactRow {
        var contact = self
        contact.attributes = attributes.filter { schema[$0.key] != nil }
        return contact
    }
}
