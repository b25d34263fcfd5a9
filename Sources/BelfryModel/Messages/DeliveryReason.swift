/// The reason for the final state of a delivery: a stable word. A rejection has the provider's own word.
public struct DeliveryReason: Hashable, Sendable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let noToken = DeliveryReason(rawValue: "noToken")
    /// The device has no contact, and message center messages belong to a contact (MC-3).
    public static let noContact = DeliveryReason(rawValue: "noContact")
    public static let noCredentials = DeliveryReason(rawValue: "noCredentials")
    /// The push service never answered (LED-1).
    public static let noAnswer = DeliveryReason(rawValue: "noAnswer")
    public static let payloadTooLarge = DeliveryReason(rawValue: "payloadTooLarge")
    /// The device's token or subscription cannot be valid for its push service.
    public static let malformedToken = DeliveryReason(rawValue: "malformedToken")
    /// The content has a value that JSON cannot express.
    public static let contentNotEncodable = DeliveryReason(rawValue: "contentNotEncodable")
    /// Suppressed: its time ended before it could be sent. Rejected: the push service asked to retry until its time
    /// ended (LED-1).
    public static let expired = DeliveryReason(rawValue: "expired")
    /// Its content cannot be rendered for this recipient (CAMP-4).
    public static let renderError = DeliveryReason(rawValue: "renderError")
    /// It was the recipient's quiet time, and the campaign does not wait, or not that long (CAMP-5).
    public static let quietHours = DeliveryReason(rawValue: "quietHours")
    /// The device has received the maximum number of pushes in the campaign's period (CAMP-5).
    public static let frequencyCap = DeliveryReason(rawValue: "frequencyCap")
    /// The device had received the maximum number of silent pushes, until the push's time ended (PUSH-7).
    public static let silentBudget = DeliveryReason(rawValue: "silentBudget")
    /// A browser ends subscriptions whose pushes show nothing, and the campaign does not allow such pushes (PUSH-7).
    public static let browser = DeliveryReason(rawValue: "browser")
    /// Another device of the campaign has registered the same push token since then.
    public static let duplicateToken = DeliveryReason(rawValue: "duplicateToken")
    /// An operator recalled the campaign's messages before this one was placed (MC-16).
    public static let recalled = DeliveryReason(rawValue: "recalled")
    public static let campaignCancelled = DeliveryReason(rawValue: "campaignCancelled")
    /// The person was erased before it was sent (REG-36).
    public static let erased = DeliveryReason(rawValue: "erased")

    /// `optedOut:user`, `optedOut:token-invalid` …
    public static func optedOut(_ reason: OptOutReason) -> DeliveryReason {
        DeliveryReason(rawValue: "optedOut:\(reason.rawValue)")
    }
}
