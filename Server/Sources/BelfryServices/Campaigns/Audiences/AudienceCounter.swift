import BelfryModel
import BelfryStore
import Foundation

/// Counts the devices of audiences that are not launched.
package struct AudienceCounter: Sendable {
    let database: any SQLDatabase
    let environment: ServerEnvironment

    package init(database: any SQLDatabase, environment: ServerEnvironment) {
        self.database = database
        self.environment = environment
    }

    /// How many devices belong to an audience now (CAMP-3).
    ///
    /// A large count runs in two parallel halves if no other query waits. Each half sees what was committed when it
    /// began.
    package func count(_ condition: Condition, app: AppRecord) async throws -> Int {
        let now = environment.now()
        do {
            let (first, question) = try await database.ask(.counting(app: app.id)) { asked in
                try AudienceCompiler(connection: asked.connection, app: app.id).check(condition)
                guard let question = try AudienceQuestion(condition, app: app.id, now: now, asked) else {
                    return (0, nil as AudienceQuestion?)
                }
                // Few devices, or audiences of unknown cost, are counted in one query.
                guard question.isLong else { return (try question.count(question.devices, asked), nil) }
                return (0, question)
            }
            guard let question else { return first }
            async let second = countIfFree(question.halves.1, of: question)
            let half = try await count(question.halves.0, of: question, as: .counting(app: app.id))
            if let second = try await second { return half + second }
            return try await half + count(question.halves.1, of: question, as: .counting(app: app.id))
        } catch let error where error.meansOverload {
            throw ServiceError.ofAudience(error)
        }
    }

    private func count(
        _ devices: ClosedRange<Int64>, of question: AudienceQuestion, as kind: Question
    ) async throws -> Int {
        try await database.ask(kind) { try question.count(devices, $0) }
    }

    private func countIfFree(_ devices: ClosedRange<Int64>, of question: AudienceQuestion) async throws -> Int? {
        do {
            return try await count(devices, of: question, as: .spareCounting(app: question.app))
        } catch StoreError.crowded {
            return nil
        }
    }
}

extension ServiceError {
    /// The error for a caller whose audience costs more than it may, or who asks while too many others do.
    static func ofAudience(_ error: any Error) -> any Error {
        switch error as? StoreError {
        case .tooExpensive?: invalid("audience", "tooExpensive", "\(error)")
        case .crowded?: tooManyCalls(limit: "audience", message: "\(error)", retryAfter: 5)
        default: error
        }
    }
}

/// An audience whose devices are to be counted.
private struct AudienceQuestion: Sendable {
    /// The number of devices from which a count is split into halves.
    private static let long: Int64 = 100_000

    let app: Int64
    let audience: AudiencePredicate
    /// SQL for the devices that can belong to the audience, if an index finds few; otherwise nil.
    let candidates: SQLFragment?
    let devices: ClosedRange<Int64>

    /// Nil if the app has no devices.
    init?(_ condition: Condition, app: Int64, now: Date, _ asked: PredicateConnection) throws {
        let sql = try AudienceCompiler(connection: asked.connection, app: app).sql(now: now)
        guard let all = try asked.connection.audiences.devices(app: app) else { return nil }
        self.app = app
        audience = try sql.compile(condition)
        candidates = try asked.candidates(sql.candidates(condition))
        devices = all
    }

    var isLong: Bool {
        !audience.asksForEvents && candidates == nil && devices.upperBound - devices.lowerBound > Self.long
    }

    var halves: (ClosedRange<Int64>, ClosedRange<Int64>) {
        let middle = devices.lowerBound + (devices.upperBound - devices.lowerBound) / 2
        return (devices.lowerBound...middle, (middle + 1)...devices.upperBound)
    }

    func count(_ devices: ClosedRange<Int64>, _ asked: PredicateConnection) throws -> Int {
        try asked.count(app: app, audience: audience, devices: devices, candidates: candidates)
    }
}
