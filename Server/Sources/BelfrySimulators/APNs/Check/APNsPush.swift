/// A request whose head and payload are good. Whether the device takes it is another question.
struct APNsPush: Sendable, Equatable {
    var token: DeviceTokenKey
    /// `apns-id`, if the provider gave one.
    var id: String?
    var topic: String
    /// `apns-push-type`, if the provider gave one.
    var pushType: APNsSimulator.PushType?
    var priority: Int
    /// `apns-expiration` in seconds since 1970; 0: deliver now or never; nil: as long as the service stores.
    var expiration: Int?
    var collapseID: String?
    var payload: [UInt8]
}
