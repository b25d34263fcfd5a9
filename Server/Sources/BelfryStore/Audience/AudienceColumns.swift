import BelfryModel

/// The columns of an app's audience table: one row for each device, with its properties and its contact's attributes as
/// plain columns.
package struct AudienceColumns: Hashable, Sendable {
    /// An attribute that the app has defined, and the number of its columns.
    struct Attribute: Hashable, Sendable {
        let type: AttributeType
        let number: Int64

        /// The column with the value as text.
        var text: SQLText { "a\(number)_text" }
        /// The column with the number that the value is or reads as; for a date, milliseconds since 1970.
        var numeric: SQLText { "a\(number)_number" }
    }

    package let app: Int64
    let attributes: [String: Attribute]

    package var table: SQLText { Self.table(of: app) }
    package var schema: [String: AttributeType] { attributes.mapValues(\.type) }

    static func table(of app: Int64) -> SQLText { "audience_\(app)" }

    /// An attribute's text as an expression over the table, joined under the name `a`: `a.a3_text`. Nil if the app has
    /// not defined the attribute.
    package func text(of attribute: String) -> SQLText? {
        attributes[attribute].map { "a.\($0.text)" }
    }

    /// A property of the device as an expression over the table: `a.locale`.
    package func text(of property: DeviceProperty) -> SQLText {
        "a.\(property.column)"
    }
}

extension AudienceColumns.Attribute {
    /// The values of the two columns for an attribute's value.
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
