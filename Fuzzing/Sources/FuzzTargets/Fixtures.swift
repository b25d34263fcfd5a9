import BelfryModel
import Foundation

@testable import BelfryServices
@testable import BelfryStore

/// The fixed values with which inputs are read: one app with attributes of each type, one device, one point in time.
enum Fixtures {
    static let now = Date(timeIntervalSince1970: 1_790_000_000)
    static let device = DeviceID(stored: "0e0b2ea1-4bd4-4b8e-9f3b-7d0f2c1a9e55")
    static let trace = UUID(uuid: (7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7))
    static let keys = ServerKeys(secret: [UInt8](repeating: 7, count: 32))

    static let schema: [String: AttributeType] = [
        "city": .string, "firstName": .string, "points": .number, "member": .boolean, "since": .date,
        "it's": .string, "caf\u{E9}": .string,
    ]

    static let columns = AudienceColumns(
        app: 1,
        attributes: Dictionary(
            uniqueKeysWithValues: schema.sorted { $0.key < $1.key }.enumerated().map { index, attribute in
                (attribute.key, AudienceColumns.Attribute(type: attribute.value, number: Int64(index + 1)))
            }
        )
    )

    /// A zone with summer time, which it started and ended at unusual times in its history.
    static let zone = TimeZone(identifier: "Europe/Paris") ?? .gmt
    static let zones: [TimeZone] = [
        .gmt, zone, TimeZone(identifier: "Pacific/Apia") ?? .gmt, TimeZone(identifier: "Australia/Lord_Howe") ?? .gmt,
    ]

    static let context = ConditionContext(schema: schema, zone: zone, now: now)

    /// Values that a recipient's attribute may have: none, plain ones, and ones that try to become markup, script or a
    /// template.
    static let values: [String?] = [
        nil, "", "x", "javascript:alert(1)", "\"><script>alert(1)</script>", "' onload='alert(1)", "--><b>", "{{city}}",
        "\u{600}<\u{301}", "\u{600}\"\u{301}", "\u{200D}'\u{FE0F}", "https://example.com/\u{0}", "&#x6A;avascript:1",
    ]
}
