/// A push whose head and size are good. Whether the subscription takes it is another question.
struct WebPushHead: Sendable, Equatable {
    var key: DeviceTokenKey
    /// Seconds that the service keeps it.
    var timeToLive: Int
    var topic: String?
    var urgency: WebPushSimulator.Urgency
}
