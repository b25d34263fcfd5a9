import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryWire

extension ErrorBody: Described {
    static let schemaName = "Error"

    static let schema: JSONSchema = .object(
        ["error": .of(ErrorBody.Detail.self)],
        optional: [
            "details": .list(of: .of(ErrorBody.Detail.self))
                .described("Further errors of the same request, if there are several.")
        ]
    )
}

extension ErrorBody.Detail: Described {
    static let schemaName = "ErrorDetail"

    static let schema: JSONSchema = .object(
        [
            "code": .string().described("A stable word that clients may use."),
            "message": .string().described("What was wrong and what is allowed, for people."),
        ],
        optional: ["target": .string().described("The invalid field, header or parameter: `push.buttons[0].id`.")]
    )
}

extension AppCode: Described {
    static let schema: JSONSchema = .string(
        1...AppCode.maximumLength, pattern: "^[A-Za-z0-9._-]+$", example: "shop"
    )
    .described("The app's code; not `.` or `..`.")
}

extension DeviceID: Described {
    static let schema: JSONSchema = .string(
        1...DeviceID.maximumLength, pattern: "^[!-~]([ -~]*[!-~])?$", example: "6C9C4F0A-5D6B-4B2E-9B7E-0C5A2E0F2A11"
    )
    .described("Printable ASCII. A UUID is not case-sensitive; any other id is.")
}

extension CampaignID: Described {
    static let schema: JSONSchema = .string(
        1...String(CampaignID.maximum).utf8.count, pattern: "^[1-9][0-9]*$", example: "1"
    )
    .described("A number, in decimal.")
}

extension AttributeValue: Described {
    static let schema: JSONSchema = .value(["string", "number", "boolean"]).described("A date is an ISO 8601 string.")
}

extension [String: AttributeValue]: Described {
    static var schemaName: String { "Attributes" }
    static var schema: JSONSchema { .map(of: .of(AttributeValue.self)) }
}

extension SystemProperties: Described {
    static let schema: JSONSchema = .object([:], optional: JSONSchema.systemProperties(.string())).described(
        "As reported by the device.")
}

extension PushProvider: Described {
    static let schema: JSONSchema = .cases(of: PushProvider.self)
}

extension PushEnvironment: Described {
    static let schema: JSONSchema = .cases(of: PushEnvironment.self)
        .described("The APNs environment of the token.")
}

extension Timestamp: Described {
    static let schema: JSONSchema = .string(format: "date-time", example: "2026-11-21T12:00:00.000Z")
        .described("ISO 8601 with an offset.")
}

extension JSONSchema {
    static let attributes: JSONSchema = .of([String: AttributeValue].self)

    /// An address in a campaign's content. It may be a template; only the rendered text is a URI.
    static let templatedAddress: JSONSchema = .string(example: "https://example.com/{{city}}")

    /// A ``ZonedDate``.
    static func zonedDate(_ example: String) -> JSONSchema {
        .string(format: "date-time", example: example)
    }

    /// The schema of an ``ISODuration`` from one minute to 3,650 days; other durations are a 422.
    static func duration(_ example: String) -> JSONSchema {
        .string(
            pattern: "^P([0-9]{1,8}W|[0-9]{1,8}D|([0-9]{1,8}D)?T([0-9]{1,8}H([0-9]{1,8}M)?|[0-9]{1,8}M))$",
            example: example
        )
    }

    /// The schema of a page's cursor.
    static let cursor: JSONSchema = .string().described("For the next page; absent: there are no more entries.")

    /// The header `Idempotency-Key`.
    static let idempotencyKey: JSONSchema = .string(
        1...Int(IdempotencyStore.maximumKeyLength), pattern: "^[!-~]+$", example: "order-4711"
    )

    /// - Parameter text: the schema of each property.
    static func systemProperties(_ text: JSONSchema) -> [String: JSONSchema] {
        [
            "timeZone": text.described("An IANA name: `Europe/Paris`; clients of version 3 send an offset."),
            "locale": text.described("`fr_FR`"),
            "platform": text.described("`ios`, `macos`, `linux`, `android` or `web`"),
            "osVersion": text,
            "appVersion": text,
            "sdkVersion": text,
            "deviceModel": text.described("`iPhone14,2`"),
        ]
    }
}

extension CampaignKind: Described {
    static let schema: JSONSchema = .cases(of: CampaignKind.self)
}

extension CampaignStatus: Described {
    static let schema: JSONSchema = .cases(of: CampaignStatus.self)
}

extension AttributeType: Described {
    static let schema: JSONSchema = .cases(of: AttributeType.self)
}

extension CampaignCounts: Described {
    static let schema: JSONSchema = .object([
        "audience": .count, "pending": .count, "accepted": .count, "suppressed": .count, "rejected": .count,
        "cancelled": .count, "displayed": .count, "opened": .count,
    ])
    .described("Totals of the ledger: each device of the audience is in one of the first five states.")
}
