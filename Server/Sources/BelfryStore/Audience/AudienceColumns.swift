import BelfryModel

/// Where an app's audience table keeps what predicates ask for: one row per device, with its properties and its
/// contact's attributes as plain columns.
package struct AudienceColumns: Hashable, Sendable {
    /// An attribute that the app has defined, and the number of its columns.
    struct Attribute: Hashable, Sendable {
        let type: AttributeType
        let number: Int64

        /// The value as text.
        var text: SQLText { "a\(number)_text" }
        /// The number that it is or reads as; of a date, milliseconds since 1970.
        var numeric: SQLText { "a\(number)_number" }
    }

    package let app: Int64
    let attributes: [String: Attribute]

    package var table: SQLText { Self.table(of: app) }
    package var schema: [String: AttributeType] { attributes.mapValues(\.type) }

    static func table(of app: Int64) -> SQLText { "audience_\(app)" }

    /// An attribute's text as an expression over the table, joined under the name `a`: `a.a3_text`. Nil when the app
    /// has not defined it.
    package func text(of attribute: String) -> SQLText? {
        attributes[attribute].map { "a.\($0.text)" }
    }

    /// A property of the device, likewise: `a.locale`.
    package func text(of property: DeviceProperty) -> SQLText {
        "a.\(property.column)"
    }
}

extension AudienceColumns.Attribute {
    /// What the columns hold of a value.
    func values(of value: AttributeValue?) -> [SQLValue] {
        guard let value else { return [.null, .null] }
        return [.text(value.textRead), number(of: value)]
    }

    private func number(of value: AttributeValue) -> SQLValue {
        guard type == .date else { return value.numberRead.map(SQLValue.real) ?? .null }
        guard case .date(let date)? = AttributeType.date.admit(value) else { return .null }
        return .real(Double(date.milliseconds))
    }
}

extension DeviceProperty {
    var column: SQLText {
        switch self {
        case .platform: "platform"
        case .osVersion: "os_version"
        case .appVersion: "app_version"
        case .sdkVersion: "sdk_version"
        case .deviceModel: "device_model"
        case .locale: "locale"
        case .timeZone: "time_zone"
        }
    }
}
