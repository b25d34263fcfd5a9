import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation

/// The schema of an app's attributes (ADM-2, REG-25).
extension AppService {
    package static let maximumAttributes = 500
    /// The highest number of attributes that an app may ever define, removed ones included: each keeps two columns, and
    /// an engine allows 1,600 columns in a table.
    static let maximumAttributesEver: Int64 = 700
    /// How often a change is checked again when attributes or campaigns change meanwhile.
    private static let maximumChecks = 5

    package func attributes(of app: AppRecord) async throws -> [String: AttributeType] {
        try await database.glance { try $0.attributes.schema(app: app.id) }
    }

    /// Defines an attribute, or changes its type. Throws for a reserved name, and for a type with which a waiting
    /// campaign could not be sent. Values that devices have sent before are applied in the background.
    package func defineAttribute(_ raw: String, type: AttributeType, app: AppRecord) async throws {
        let key = try Self.key(raw)
        try await make(AttributeSchemaChange(defined: [key: type]), app: app)
    }

    /// Defines several attributes: all of them, or none.
    ///
    /// - Parameters:
    ///   - field: the name of the list in errors, which name every wrong key.
    ///   - check: gets the schema in the transaction, and refuses a change that was based on another schema (CON-10).
    /// - Returns: the keys as they are stored, in the order of the list.
    package func defineAttributes(
        _ definitions: [(key: String, type: AttributeType)], field: String, app: AppRecord,
        unless check: @escaping @Sendable ([String: AttributeType]) throws -> Void = { _ in }
    ) async throws -> [AttributeKey] {
        let keys = try Self.keys(definitions.map { $0.key }, field: field)
        let defined = Dictionary(zip(keys, definitions.map { $0.type }), uniquingKeysWith: { first, _ in first })
        try await make(AttributeSchemaChange(defined: defined), app: app, unless: check)
        return keys
    }

    /// Removes an attribute that no waiting campaign uses. Its values are removed from the contacts in the background.
    ///
    /// - Parameter check: gets the schema in the transaction, and refuses a change that was based on another schema
    ///   (CON-10).
    package func removeAttribute(
        _ raw: String, app: AppRecord,
        unless check: @escaping @Sendable ([String: AttributeType]) throws -> Void = { _ in }
    ) async throws -> AttributeKey {
        let key = try Self.key(raw)
        try await make(AttributeSchemaChange(removed: key), app: app, unless: check)
        return key
    }

    private static func key(_ raw: String) throws(ServiceError) -> AttributeKey {
        do {
            return try AttributeKey(raw)
        } catch {
            throw .invalid(field: "key", error)
        }
    }

    private static func keys(_ raws: [String], field: String) throws(ServiceError) -> [AttributeKey] {
        guard (1...maximumAttributes).contains(raws.count) else {
            throw .invalid(field, "invalidLength", "\(field) has 1 to \(maximumAttributes) attributes.")
        }
        var keys: [AttributeKey] = []
        var errors: [FieldError] = []
        for (index, raw) in raws.enumerated() {
            do throws(ValueError) {
                let key = try AttributeKey(raw)
                guard !keys.contains(key) else {
                    throw ValueError(code: "duplicate", message: "'\(key)' is in the list twice.")
                }
                keys.append(key)
            } catch {
                errors.append(FieldError(field: "\(field)[\(index)].key", error: error))
            }
        }
        try ServiceError.reject(errors)
        return keys
    }
}

// MARK: - Changes of the schema

extension AppService {
    private func make(
        _ change: AttributeSchemaChange, app: AppRecord,
        unless reject: @escaping @Sendable ([String: AttributeType]) throws -> Void = { _ in }
    ) async throws {
        for _ in 1...Self.maximumChecks {
            let check = try await check(change, app: app)
            do {
                return try await save(change, by: check, app: app, unless: reject)
            } catch is AttributeSchemaCheck.Outdated {
                continue
            }
        }
        throw ServiceError.conflict(
            message: """
                The app's attributes or campaigns were changed each time while the change was checked: \
                leave them alone for a moment, and try again.
                """
        )
    }

    private func save(
        _ change: AttributeSchemaChange, by check: AttributeSchemaCheck, app: AppRecord,
        unless reject: @escaping @Sendable ([String: AttributeType]) throws -> Void
    ) async throws {
        let (app, now) = (app.id, environment.now())
        try await database.write { connection in
            let schema = try connection.attributes.schema(app: app)
            try reject(schema)
            if change.affects(schema) { try check.verify(app: app, in: connection) }
            try Self.rejectUnlessPossible(change, of: schema, app: app, in: connection)
            if let key = change.removed {
                guard try connection.attributes.remove(key, app: app, now: now) else {
                    throw ServiceError.notFound(what: "attribute", id: key.rawValue)
                }
            }
            for (key, type) in change.defined.sorted(by: { $0.key < $1.key }) {
                try connection.attributes.define(key, type: type, app: app, now: now)
            }
            guard change.applied(to: schema) != schema else { return }
            try connection.attributeReviews.begin(app: app, removes: change.removed != nil)
            try connection.inAppRevisions.audiencesChanged(app: app, now: now)
        }
    }

    /// Throws if the schema exceeds its limits, or if contacts still have values of a former definition.
    private static func rejectUnlessPossible(
        _ change: AttributeSchemaChange, of schema: [String: AttributeType], app: Int64,
        in connection: any SQLConnection
    ) throws {
        let new = change.defined.keys.filter { schema[$0.rawValue] == nil }.sorted()
        guard schema.count + new.count <= maximumAttributes || new.isEmpty else {
            throw ServiceError.conflict(message: "An app has at most \(maximumAttributes) attributes.")
        }
        let isRemoving = try connection.attributeReviews.find(app: app)?.contactsAfter != nil
        var numbers = try connection.attributes.nextNumber(app: app) - 1
        for key in new {
            guard try connection.attributes.formerNumber(of: key, app: app) != nil else {
                numbers += 1
                continue
            }
            guard !isRemoving else {
                throw ServiceError.conflict(
                    message: "The values of the former attribute '\(key)' are being removed. Try again in a moment."
                )
            }
        }
        guard new.isEmpty || numbers <= maximumAttributesEver else {
            throw ServiceError.conflict(
                message: """
                    An app has at most \(maximumAttributesEver) different attributes, with those that were removed. \
                    Define a removed one again.
                    """
            )
        }
    }
}
