import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation

/// `POST …/keys` (ADM-6).
package struct CreateAdminKeyRequest: Hashable, Sendable, Codable {
    package var scope: AdminScope
    package var label: String?
    /// Absent: the key does not expire.
    @ZonedDate package var expiresAt: Date?

    package init(scope: AdminScope, label: String? = nil) {
        self.scope = scope
        self.label = label
        expiresAt = nil
    }
}

extension CreateAdminKeyRequest: Described {
    static let schema: JSONSchema = .object(
        ["scope": .of(AdminScope.self)],
        optional: [
            "label": .string(1...AdminKeyService.maximumLabelLength).described("What the key is for."),
            "expiresAt": .zonedDate("2027-12-01T09:00:00Z").described(
                "It is refused from then on; without an offset, in the app's time zone. Absent: it does not expire."),
        ],
        isClosed: true
    )
}

extension AdminScope: Described {
    static let schema: JSONSchema = .cases(of: AdminScope.self).described(
        "What the key may do: each scope includes those before it.")
}

/// The response to `POST …/keys`: the only time that the secret is shown.
package struct CreateAdminKeyResponse: Hashable, Sendable, Codable {
    package var id: String
    package var apiKey: String
    package var scope: AdminScope
    package var label: String?
    package var createdAt: String
    package var expiresAt: String?

    init(_ key: AdminKeyListResponse.Entry, apiKey: String) {
        id = key.id
        self.apiKey = apiKey
        scope = key.scope ?? .read
        label = key.label
        createdAt = key.createdAt
        expiresAt = key.expiresAt
    }
}

extension CreateAdminKeyResponse: Described {
    static let schema: JSONSchema = .object(
        [
            "id": .string().described("Its name in the list and in the audit log."),
            "apiKey": .string().described("The secret. It is shown only once; do not put it into an app."),
            "scope": .of(AdminScope.self), "createdAt": .of(Timestamp.self),
        ],
        optional: ["label": .string(), "expiresAt": .of(Timestamp.self)]
    )
}

/// `GET …/keys`, newest first.
package struct AdminKeyListResponse: Hashable, Sendable, Codable {
    package struct Entry: Hashable, Sendable, Codable {
        package var id: String
        /// Nil for a key without rights.
        package var scope: AdminScope?
        package var label: String?
        package var createdAt: String
        package var expiresAt: String?
        package var revokedAt: String?
    }

    package var keys: [Entry]
    package var cursor: String?

    package init(keys: [Entry], cursor: String? = nil) {
        self.keys = keys
        self.cursor = cursor
    }
}

extension AdminKeyListResponse: Described {
    static let schema: JSONSchema = .object(
        [
            "keys": .list(
                of: .object(
                    ["id": .string(), "createdAt": .of(Timestamp.self)],
                    optional: [
                        "scope": .of(AdminScope.self), "label": .string(), "expiresAt": .of(Timestamp.self),
                        "revokedAt": .of(Timestamp.self),
                    ]
                )
            )
        ],
        optional: ["cursor": .cursor]
    )
}

extension AdminKeyListResponse.Entry {
    init(_ key: AdminKeyService.Key) {
        self.init(
            id: key.name, scope: key.scope, label: key.label, createdAt: Timestamp.text(key.createdAt),
            expiresAt: key.expiresAt.map(Timestamp.text), revokedAt: key.revokedAt.map(Timestamp.text)
        )
    }
}
