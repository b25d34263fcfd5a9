import BelfryModel
import BelfryServices

extension OpenAPI {
    static let registrationSchemas: [String: Schema] = [
        "RegistrationSnapshot": .object(
            [
                "deviceId": .reference("DeviceID").described("Equals `X-Client-Id`."),
                "registrationId": .string(
                    36...36, format: "uuid", example: "0B0F8F6E-2A2C-4A7B-8B0E-6E2C3A4B5C6D"
                )
                .described("Of this attempt; it asks for the receipt."),
                "revision": .integer(1...RegistrationIntake.maximumRevision)
                    .described("Grows on the device; an older one never overwrites a newer one."),
                "pushEnabled": .boolean.described("The app's own switch."),
            ],
            optional: optionalFields
        )
        .described(
            "The contact record as the device has it. A field that cannot be applied is rejected alone, on the receipt."
        ),
        "PartyIdentifier": .object(["type": .string(1...255), "name": .string(1...255), "number": .string(1...255)])
            .described("The identity triple of a customer data platform."),
        "RegistrationAnswer": .object([
            "registrationId": .string(),
            "revision": .integer().described("The highest that the server knows; the device goes on above it."),
            "status": .reference("ReceiptStatus"),
        ]),
        "RegistrationReceipt": .object([
            "registrationId": .string(),
            "revision": .integer(),
            "status": .reference("ReceiptStatus"),
            "rejected": .list(of: .reference("RejectedField")),
        ]),
        "ReceiptStatus": .word(ReceiptStatus.allCases.map(\.rawValue)),
        "RejectedField": .object([
            "field": .string().described("`attributes.shoe`"), "reason": .string(), "message": .string(),
        ]),
    ]

    private static let optionalFields: [String: Schema] = recordFields.merging(
        systemProperties(.string(0...255)), uniquingKeysWith: { first, _ in first }
    )

    private static let recordFields: [String: Schema] = [
        "contactKey": .string(1...ContactKey.maximumLength),
        "partyIdentifier": .reference("PartyIdentifier"),
        "pushToken": .one(of: [.string(1...PushToken.maximumLength), browserSubscription]),
        "pushProvider": .reference("PushProvider").described("Absent, the platform decides."),
        "pushEnvironment": .reference("PushEnvironment").described("Default: production."),
        "osPushEnabled": .boolean.described("What the operating system answered; absent: it was not asked."),
        "attributes": .reference("Attributes")
            .described("At most 1,000, each defined for the app; a blank value clears one."),
        "tags": .list(of: .string(1...Tag.maximumLength), 0...1_000)
            .described("They replace those that this device said before; absent, they stay."),
        "lastOpenedAt": .reference("Timestamp"),
    ]
}
