import BelfryModel
import BelfryServices
import BelfryStore

/// Attributes that are defined after devices have sent them (REG-25).
extension ServiceWorld {
    var reviewer: AttributeReviewer { makeReviewer() }
    func makeReviewer(_ database: (any SQLDatabase)? = nil, attempts: WorkAttempts? = nil) -> AttributeReviewer {
        AttributeReviewer(
            database: database ?? self.database, environment: environment,
            attempts: attempts ?? makeAttempts(over: database), logger: logger
        )
    }

    func reviewAttributes() async throws {
        while try await reviewer.reviewNext() != nil {}
    }

    /// Defines an attribute, and applies what devices have sent of it.
    func define(_ name: String, _ type: AttributeType = .string) async throws {
        try await apps.defineAttribute(name, type: type, app: app)
        try await reviewAttributes()
    }

    func attributes(of key: String) async throws -> [String: AttributeValue] {
        try await directory.contact(key, app: app).contact.attributes
    }
}

extension ServiceDevice {
    /// Sends a snapshot of that contact, which is processed.
    mutating func say(_ attributes: [String: AttributeValue], of contact: String?) async throws {
        try await register {
            $0.contactKey = contact
            $0.attributes = attributes
        }
        try await world.process()
    }

    /// What its last registration was refused of, each with the reason.
    func rejectedFields() async throws -> [String] {
        try await world.profile(self).registration?.rejected.map { "\($0.field) \($0.reason)" } ?? []
    }
}
