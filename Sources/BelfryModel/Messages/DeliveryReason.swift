/// Why a pair ended as it did: a stable word. Rejections carry the provider's own word.
public struct DeliveryReason: Hashable, Sendable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let noToken = DeliveryReason(rawValue: "noToken")
    /// Nobody is linked to the device, and a message in a center belongs to a contact (MC-3).
    public static let noContact = DeliveryReason(rawValue: "noContact")
    public static let noCredentials = DeliveryReason(rawValue: "noCredentials")
    /// The push service never answered (LED-1).
    public static let noAnswer = DeliveryReason(rawValue: "noAnswer")
    public static let payloadTooLarge = DeliveryReason(rawValue: "payloadTooLarge")
    /// The device's token, or its subscription, cannot be one of its push service.
    public static let malformedToken = DeliveryReason(rawValue: "malformedToken")
    /// The content has what JSON cannot say.
    public static let contentNotEncodable = DeliveryReason(rawValue: "contentNotEncodable")
    /// Suppressed: its time was over before it could be sent. Rejected: the push service answered "later" until its
    /// time was over (LED-1).
    public static let expired = DeliveryReason(rawValue: "expired")
    /// Its content cannot be rendered for this recipient (CAMP-4).
    public static let renderError = DeliveryReason(rawValue: "renderError")
    /// It was the recipient's quiet time, and the campaign does not wait, or not that long (CAMP-5).
    public static let quietHours = DeliveryReason(rawValue: "quietHours")
    /// The device has got as many pushes as the campaign allows in its period (CAMP-5).
    public static let frequencyCap = DeliveryReason(rawValue: "frequencyCap")
    /// The device had got as many silent pushes as may reach it, until the push's time was over (PUSH-7).
    public static let silentBudget = DeliveryReason(rawValue: "silentBudget")
    /// A browser ends a subscription whose pushes show nothing, and the campaign does not ask for it (PUSH-7).
    public static let browser = DeliveryReason(rawValue: "browser")
    /// Another device of the campaign has registered the same push token since.
    public static let duplicateToken = DeliveryReason(rawValue: "duplicateToken")
    /// An operator took the campaign's messages back before this one was placed (MC-16).
    public static let recalled = DeliveryReason(rawValue: "recalled")
    public static let campaignCancelled = DeliveryReason(rawValue: "campaignCancelled")
    /// The person asked to be erased before it was sent (REG-36).
    public static let erased = DeliveryReason(rawValue: "erased")

    /// `optedOut:user`, `optedOut:token-invalid` …
    public static func optedOut(_ reason: OptOutReason) -> DeliveryReason {
        DeliveryReason(rawValue: "optedOut:\(reason.rawValue)")
    }
}
