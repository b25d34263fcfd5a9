import BelfryModel
import Foundation

/// The data that remains to be reviewed after an app's attribute definitions have changed (REG-25).
package struct AttributeReview: Hashable, Sendable {
    package let app: Int64
    /// Contacts with a higher number may have values of removed attributes; nil: no contact has.
    package let contactsAfter: Int64?
    /// Registrations up to this number may have another result under the present definitions.
    package let registrationsThrough: Int64

    /// The review with new positions.
    package func reaching(contactsAfter: Int64?, registrationsThrough: Int64) -> AttributeReview {
        AttributeReview(app: app, contactsAfter: contactsAfter, registrationsThrough: registrationsThrough)
    }
}

extension AttributeReview {
    enum Column: Int, ResultColumn {
        case app, contactsAfter, registrationsThrough

        var sql: SQLText {
            switch self {
            case .app: "app_id"
            case .contactsAfter: "contacts_after"
            case .registrationsThrough: "registrations_through"
            }
        }
    }

    init(_ row: any SQLRow) {
        let row = ResultRow<Column>(row)
        self.init(
            app: row.integer(.app), contactsAfter: row.optionalInteger(.contactsAfter),
            registrationsThrough: row.integer(.registrationsThrough)
        )
    }
}

/// The unfinished reviews, at most one for each app.
package struct AttributeReviewRepository {
    let connection: any SQLConnection

    /// Begins a review in the transaction that changes definitions. A review under way starts again, because its
    /// finished part was judged by the former definitions.
    ///
    /// - Parameter removes: whether a definition was removed, so that contacts have values of it.
    package func begin(app: Int64, removes: Bool) throws {
        // This is a separate statement, since an `INSERT` cannot contain a query over rows on other servers (FLEET-5).
        let newest = try connection.first("SELECT coalesce(max(id), 0) FROM registrations", []) { $0.integer(0) } ?? 0
        try connection.execute(
            """
            INSERT INTO attribute_reviews (app_id, contacts_after, registrations_through) VALUES (?, ?, ?)
            ON CONFLICT (app_id) DO UPDATE SET
                contacts_after = coalesce(excluded.contacts_after, attribute_reviews.contacts_after),
                registrations_through = excluded.registrations_through
            """,
            [.integer(app), removes ? .integer(Int64(0)) : .null, .integer(newest)]
        )
    }

    /// The next review to work on, by app, in a circle. Reviews that are in quarantine, or that another process works
    /// on, are skipped (SEC-8).
    ///
    /// - Parameters:
    ///   - last: the app after which the search begins.
    ///   - owner: the process that asks.
    package func next(after last: Int64 = .min, for owner: String, now: Date) throws -> AttributeReview? {
        try connection.first(
            """
            SELECT \(AttributeReview.Column.selectList) FROM attribute_reviews
            WHERE \(WorkAttempt.isFree("attribute_reviews.app_id"))
            ORDER BY CASE WHEN app_id > ? THEN 0 ELSE 1 END, app_id LIMIT 1
            """,
            WorkAttempt.arguments(.attributeReview, by: owner, now: now) + [.integer(last)], AttributeReview.init
        )
    }

    package func find(app: Int64) throws -> AttributeReview? {
        try connection.first(
            "SELECT \(AttributeReview.Column.selectList) FROM attribute_reviews WHERE app_id = ?", [.integer(app)],
            AttributeReview.init
        )
    }

    /// Records how far a review has come.
    ///
    /// - Returns: false when the review is at another position: it was started again, or another process has continued
    ///   it.
    package func advance(_ review: AttributeReview, to next: AttributeReview) throws -> Bool {
        guard try find(app: review.app) == review else { return false }
        try connection.execute(
            "UPDATE attribute_reviews SET contacts_after = ?, registrations_through = ? WHERE app_id = ?",
            [.optional(next.contactsAfter), .integer(next.registrationsThrough), .integer(review.app)]
        )
        return true
    }

    /// Ends a review that has nothing left, unless it was started again.
    package func end(_ review: AttributeReview) throws {
        guard try find(app: review.app) == review else { return }
        try connection.execute("DELETE FROM attribute_reviews WHERE app_id = ?", [.integer(review.app)])
    }
}

extension SQLConnection {
    package var attributeReviews: AttributeReviewRepository { AttributeReviewRepository(connection: self) }
}
