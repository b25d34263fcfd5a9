import BelfryModel
import BelfryServices

/// `POST /api/v1/apps` (ADM-2).
package struct CreateAppRequest: Hashable, Sendable, Codable {
    package var code: String
    package var name: String

    package init(code: String, name: String) {
        self.code = code
        self.name = name
    }
}

extension CreateAppRequest: Described {
    static let schema: JSONSchema = .object([
        "code": .of(AppCode.self), "name": .string(1...AppService.maximumNameLength),
    ])
}

/// The response to `POST /api/v1/apps`: the only time that the key is shown.
package struct CreateAppResponse: Hashable, Sendable, Codable {
    package var code: String
    package var name: String
    package var apiKey: String
}

extension CreateAppResponse: Described {
    static let schema: JSONSchema = .object([
        "code": .of(AppCode.self),
        "name": .string(),
        "apiKey": .string().described("An admin key for this app. It is shown only once; do not put it into the app."),
    ])
}

/// `GET /api/v1/apps`.
package struct AppListResponse: Hashable, Sendable, Codable {
    package struct Entry: Hashable, Sendable, Codable {
        package var code: String
        package var name: String
    }

    package var apps: [Entry]
    package var cursor: String?

    package init(apps: [Entry], cursor: String? = nil) {
        self.apps = apps
        self.cursor = cursor
    }
}

extension AppListResponse: Described {
    static let schema: JSONSchema = .object(
        ["apps": .list(of: .object(["code": .of(AppCode.self), "name": .string()]))],
        optional: ["cursor": .cursor]
    )
}

/// `PUT /api/v1/apps/{app}`.
package struct RenameAppRequest: Hashable, Sendable, Codable {
    package var name: String

    package init(name: String) {
        self.name = name
    }
}

extension RenameAppRequest: Described {
    static let schema: JSONSchema = .object(["name": .string(1...AppService.maximumNameLength)], isClosed: true)
}

/// `PUT …/attributes/{key}` (ADM-2).
package struct DefineAttributeRequest: Hashable, Sendable, Codable {
    package var type: AttributeType

    package init(type: AttributeType) {
        self.type = type
    }
}

extension DefineAttributeRequest: Described {
    static let schema: JSONSchema = .object(["type": .of(AttributeType.self)], isClosed: true)
}

/// `POST …/attributes`. It has the form of the list, so that one app's attributes can be defined for another.
package struct DefineAttributesRequest: Hashable, Sendable, Codable {
    package var attributes: [AttributeDefinition]

    package init(attributes: [AttributeDefinition]) {
        self.attributes = attributes
    }
}

extension DefineAttributesRequest: Described {
    static let schema: JSONSchema = .object(
        ["attributes": .list(of: .of(AttributeDefinition.self), 1...AppService.maximumAttributes)], isClosed: true
    )
}

/// One attribute of an app's schema.
package struct AttributeDefinition: Hashable, Sendable, Codable {
    package var key: String
    package var type: AttributeType

    package init(key: String, type: AttributeType) {
        self.key = key
        self.type = type
    }
}

extension AttributeDefinition: Described {
    static let schema: JSONSchema = .object(
        ["key": .string(1...AttributeKey.maximumLength), "type": .of(AttributeType.self)], isClosed: true
    )
}

/// `GET …/attributes`.
package struct AttributeListResponse: Hashable, Sendable, Codable {
    package var attributes: [AttributeDefinition]
}

extension AttributeListResponse: Described {
    static let schema: JSONSchema = .object(["attributes": .list(of: .of(AttributeDefinition.self))])
}
