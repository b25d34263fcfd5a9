import BelfryModel
import BelfryServices
import BelfryWire

extension OpenAPI {
    static let errorSchemas: [String: Schema] = [
        "Error": .object(
            ["error": .reference("ErrorDetail")],
            optional: [
                "details": .list(of: .reference("ErrorDetail"))
                    .described("Further faults of the same request, when there are several.")
            ]
        ),
        "ErrorDetail": .object(
            [
                "code": .string().described("A word that does not change; clients may act on it."),
                "message": .string().described("What was wrong and what is allowed, for people."),
            ],
            optional: ["target": .string().described("The field, header or parameter at fault: `push.buttons[0].id`.")]
        ),
    ]

    /// What many other schemas are made of.
    static let valueSchemas: [String: Schema] = [
        "AppCode": .string(1...64, pattern: "^[A-Za-z0-9._-]+$", example: "shop")
            .described("The code that names an app; neither `.` nor `..`."),
        "DeviceID": .string(
            36...36, format: "uuid",
            pattern: "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$",
            example: "6C9C4F0A-5D6B-4B2E-9B7E-0C5A2E0F2A11"
        )
        .described("A UUID; upper and lower case are the same."),
        "CampaignID": .string(1...15, pattern: "^[1-9][0-9]*$", example: "1").described("A number, in decimal."),
        "AttributeValue": .value(["string", "number", "boolean"]).described("A date is an ISO 8601 string."),
        "Attributes": .map(of: .reference("AttributeValue")),
        "SystemProperties": .object([:], optional: systemProperties(.string())).described("As the device said them."),
        "PushProvider": .word(PushProvider.allCases.map(\.rawValue)),
        "PushEnvironment": .word(PushEnvironment.allCases.map(\.rawValue))
            .described("Which of Apple's two services a token belongs to."),
        "Timestamp": .string(format: "date-time", example: "2026-11-21T12:00:00.000Z")
            .described("ISO 8601 with a zone."),
    ]

    /// An address in what a campaign says: it may be a template, and only what comes out of it is a URI.
    static let templatedAddress: Schema = .string(example: "https://example.com/{{city}}")

    /// The grammar of ``ISODuration``, from one minute to 3,650 days; a duration beyond these is a 422.
    static func duration(_ example: String) -> Schema {
        .string(
            pattern: "^P([0-9]{1,8}W|[0-9]{1,8}D|([0-9]{1,8}D)?T([0-9]{1,8}H([0-9]{1,8}M)?|[0-9]{1,8}M))$",
            example: example
        )
    }

    /// The header `Idempotency-Key`.
    static let idempotencyKey: Schema = .string(
        1...Int(IdempotentWrites.maximumKeyLength), pattern: "^[!-~]+$", example: "order-4711"
    )

    /// - Parameter text: what each of them may be.
    static func systemProperties(_ text: Schema) -> [String: Schema] {
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
