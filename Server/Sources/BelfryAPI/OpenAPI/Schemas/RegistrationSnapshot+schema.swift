import BelfryModel
import BelfryServices
import BelfryWire

extension RegistrationSnapshot: Described {
    static let schema: JSONSchema = .object(
        [
            "deviceId": .of(DeviceID.self).described("Equals `X-Client-Id`."),
            "registrationId": .string(
                36...36, format: "uuid", example: "0B0F8F6E-2A2C-4A7B-8B0E-6E2C3A4B5C6D"
            )
            .described("The id of this attempt, also for reading its receipt."),
            "revision": .integer(1...IncomingSnapshot.maximumRevision)
                .described("Increases on the device; an older one never overwrites a newer one."),
            "pushEnabled": .boolean.described("The app's switch for push."),
        ],
        optional: JSONSchema.optionalFields
    )
    .described(
        "The contact record of the device. A field that cannot be applied is rejected alone, with a receipt."
    )
}

extension PartyIdentifier: Described {
    static let schema: JSONSchema = .object(["type": ofPart, "name": ofPart, "number": ofPart])
        .described("The identity triple of a customer data platform.")

    private static let ofPart: JSONSchema = .string(1...maximumLength)
}

extension RegistrationResponse: Described {
    static let schema: JSONSchema = .object(
        [
            "registrationId": .string(),
            "revision": .integer()
                .described("The highest revision that the server knows; the device continues above it."),
            "status": .of(ReceiptStatus.self),
        ],
        optional: ["registration": .of(RegistrationResult.self)]
    )
}

extension RegistrationResult: Described {
    static let schema: JSONSchema = .object([
        "revision": .integer(), "rejected": .list(of: .of(RejectedField.self)),
    ])
    .described("The device's newest registration that was processed, and what was rejected of it; absent: none.")
}

extension RegistrationReceipt: Described {
    static let schema: JSONSchema = .object([
        "registrationId": .string(),
        "revision": .integer(),
        "status": .of(ReceiptStatus.self),
        "rejected": .list(of: .of(RejectedField.self)),
    ])
}

extension ReceiptStatus: Described {
    static let schema: JSONSchema = .cases(of: ReceiptStatus.self)
}

extension RejectedField: Described {
    static let schema: JSONSchema = .object([
        "field": .string().described("`attributes.shoe`"), "reason": .string(), "message": .string(),
    ])
}

extension JSONSchema {
    fileprivate static let optionalFields: [String: JSONSchema] = recordFields.merging(
        systemProperties(.string(0...SystemProperties.maximumLength)), uniquingKeysWith: { first, _ in first }
    )

    fileprivate static let recordFields: [String: JSONSchema] = [
        "contactKey": .string(1...ContactKey.maximumLength),
        "partyIdentifier": .of(PartyIdentifier.self),
        "pushToken": .one(of: [.string(1...PushToken.maximumLength), browserSubscription]),
        "pushProvider": .of(PushProvider.self).described("If absent, the platform decides."),
        "pushEnvironment": .of(PushEnvironment.self).described("Default: production."),
        "osPushEnabled": .boolean.described("The permission of the operating system; absent: not asked yet."),
        "attributes": .attributes
            .described("At most 1,000, each defined for the app; a blank value clears one."),
        "tags": .list(of: .string(1...Tag.maximumLength), 0...RegistrationSnapshot.maximumEntries)
            .described("They replace the device's former tags; absent: no change."),
        "lastOpenedAt": .of(Timestamp.self),
    ]
}
