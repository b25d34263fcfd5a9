import BelfryModel
import Foundation

/// What is left to review because definitions of an app's attributes have changed (REG-25).
package struct AttributeReview: Hashable, Sendable {
    package let app: Int64
    /// Contacts with a higher number may have values of attributes that were removed; nil: none has.
    package let contactsAfter: Int64?
    /// Registrations up to this number may say something else by the present definitions.
    package let registrationsThrough: Int64

    /// The same review when it has got further.
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

/// The reviews that are not finished, at most one for each app.
package struct AttributeReviewRepository {
    let connection: any SQLConnection

    /// Begins a review in the transaction that changes definitions. One that is under way begins anew, because what
    /// lies behind it was judged by the former definitions.
    ///
    /// - Parameter removes: whether a definition was removed, so that contacts have values of it.
    package func begin(app: Int64, removes: Bool) throws {
        // A statement of its own: a row that is inserted holds no query over rows on other servers (FLEET-5).
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

    /// The review to go on with: that of the next app, in a circle. Those are left out that are set aside, or that another
    /// process is at (SEC-8).
    ///
    /// - Parameters:
    ///   - last: the app behind which it is looked for first.
    ///   - owner: who asks.
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

    /// Notes how far a review has come.
    ///
    /// - Returns: false when it stands elsewhere: it began anew, or another process was here.
    package func advance(_ review: AttributeReview, to next: AttributeReview) throws -> Bool {
        guard try find(app: review.app) == review else { return false }
        try connection.execute(
            "UPDATE attribute_reviews SET contacts_after = ?, registrations_through = ? WHERE app_id = ?",
            [.optional(next.contactsAfter), .integer(next.registrationsThrough), .integer(review.app)]
        )
        return true
    }

    /// Ends a review that has nothing left, unless it began anew.
    package func end(_ review: AttributeReview) throws {
        guard try find(app: review.app) == review else { return }
        try connection.execute("DELETE FROM attribute_reviews WHERE app_id = ?", [.integer(review.app)])
    }
}

extension SQLConnection {
    package var attributeReviews: AttributeReviewRepository { AttributeReviewRepository(connection: self) }
}
