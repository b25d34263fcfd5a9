import BelfryModel
import BelfryStore
import Foundation

/// Counts audiences that nobody has launched.
package struct AudienceCounter: Sendable {
    let database: any SQLDatabase
    let environment: ServerEnvironment

    package init(database: any SQLDatabase, environment: ServerEnvironment) {
        self.database = database
        self.environment = environment
    }

    /// How many devices belong to an audience now (CAMP-3).
    ///
    /// It is asked in two halves at once: each sees what was committed when it began.
    package func count(_ condition: Condition, app: AppRecord) async throws -> Int {
        let now = environment.now()
        let question = try await database.read { connection in
            try connection.checkAudience(condition, app: app.id)
            return try AudienceQuestion(condition, app: app.id, now: now, connection)
        }
        guard let question else { return 0 }
        async let second = count(question.second, of: question)
        return try await count(question.first, of: question) + second
    }

    private func count(_ devices: ClosedRange<Int64>?, of question: AudienceQuestion) async throws -> Int {
        guard let devices else { return 0 }
        return try await database.read { connection in
            try connection.audiences.count(
                app: question.app, audience: question.audience, devices: devices, candidates: question.candidates
            )
        }
    }
}

/// An audience whose devices are to be counted.
private struct AudienceQuestion: Sendable {
    let app: Int64
    let audience: SQLFragment
    /// Those that can belong to it, if an index finds few.
    let candidates: SQLFragment?
    let first: ClosedRange<Int64>
    /// Nil when there is but one device.
    var second: ClosedRange<Int64>?

    /// Nil when the app has no device.
    init?(_ condition: Condition, app: Int64, now: Date, _ connection: any SQLConnection) throws {
        let sql = try connection.audienceSQL(app: app, now: now)
        guard let all = try connection.audiences.devices(app: app) else { return nil }
        self.app = app
        audience = try sql.compile(condition)
        candidates = try connection.audiences.candidates(sql.candidates(condition))
        let middle = all.lowerBound + (all.upperBound - all.lowerBound) / 2
        first = all.lowerBound...middle
        if middle < all.upperBound { second = (middle + 1)...all.upperBound }
    }
}
