/// The name of an attribute: trimmed, 1 to 128 characters, not a reserved word (REG-10).
public struct AttributeKey: Hashable, Sendable, Comparable {
    public static let maximumLength = 128

    /// Words that belong to the registration itself; compared case-insensitively.
    public static let reservedWords: Set<String> = [
        "addressId", "alias", "apId", "backgroundRefreshEnabled", "badge", "channel", "contactId", "contactKey",
        "createdBy", "createdDate", "customObjectKey", "device", "deviceId", "deviceType", "gcmSenderId",
        "hardwareId", "isHonorDst", "lastAppOpen", "lastMessageOpen", "lastSend", "locationEnabled",
        "messageOpenCount", "modifiedBy", "modifiedDate", "optInDate", "optInMethodId", "optInStatusId",
        "optOutDate", "optOutMethodId", "optOutStatusId", "platform", "platformVersion", "providerToken",
        "proximityEnabled", "pushAddressExtensionId", "pushApplicationId", "quietPushEnabled", "sdkVersion",
        "sendCount", "signedString", "source", "sourceObjectId", "status", "systemToken", "timezone", "utcOffset",
    ]

    private static let foldedReservedWords = Set(reservedWords.map { $0.lowercased() })

    public let rawValue: String

    public init(_ raw: String) throws(ValueError) {
        let name = try NamingRule.parseComposed(raw, "An attribute key", maximumLength: Self.maximumLength)
        guard !Self.foldedReservedWords.contains(name.lowercased()) else {
            throw ValueError(code: "reservedWord", message: "'\(name)' is a reserved word and cannot be an attribute.")
        }
        rawValue = name
    }

    public static func < (left: AttributeKey, right: AttributeKey) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension AttributeKey: CustomStringConvertible {
    public var description: String { rawValue }
}
