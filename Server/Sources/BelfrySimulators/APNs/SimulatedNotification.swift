import Foundation

/// A push that the simulated service accepted, as the device gets it.
public struct SimulatedNotification: MailboxItem, Sendable, Equatable {
    /// Numbers the pushes of one device token from 1, with gaps for pushes that never reached the device.
    public let sequence: Int
    /// The device token, 64 lowercase hexadecimal digits.
    public let token: String
    /// The service that accepted it.
    public let environment: APNsEnvironment
    /// The app's bundle id.
    public let topic: String
    /// `apns-id`, the provider's or the simulator's.
    public let apnsID: String
    /// `apns-push-type`; nil if the provider gave none.
    public let pushType: APNsPushType?
    /// 10, 5 or 1.
    public let priority: Int
    /// `apns-collapse-id`: this push has replaced an undelivered one with the same id.
    public let collapseID: String?
    /// `apns-expiration` in seconds since 1970; 0: not to be stored; nil: the provider gave none.
    public let expiration: Int?
    /// The JSON payload as the provider sent it.
    public let payload: [UInt8]
    /// When the service accepted it.
    public let acceptedAt: Date

    init(
        _ push: APNsPush,
        sequence: Int,
        apnsID: String,
        environment: APNsEnvironment,
        acceptedAt: Date
    ) {
        self.sequence = sequence
        token = push.token.text
        self.environment = environment
        topic = push.topic
        self.apnsID = apnsID
        pushType = push.pushType
        priority = push.priority
        collapseID = push.collapseID
        expiration = push.expiration
        payload = push.payload
        self.acceptedAt = acceptedAt
    }

    /// `aps.badge`: the number that the app's icon shows from now on; 0: none. Nil: the icon does not change, because
    /// the push has no badge, or one that is not a whole number of 0 or more.
    public var badge: Int? {
        guard case .object(let aps)? = JSONValue.object(from: payload)?["aps"] else { return nil }
        return aps["badge"]?.count
    }
}
