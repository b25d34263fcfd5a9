/// A message whose form is good. Whether the device takes it is another question.
struct FCMPush: Sendable, Equatable {
    /// Delivery by the service; what an app of Android is told apart from.
    enum Priority: String, Sendable {
        case normal = "NORMAL"
        case high = "HIGH"
    }

    var key: DeviceTokenKey
    var collapseKey: String?
    /// Seconds.
    var timeToLive: Int
    var priority: Priority
    /// It is checked, and not delivered.
    var isOnlyValidated: Bool
    /// The sender's own id of the message, or nil.
    var messageID: String?
    /// The JSON of the request.
    var body: [UInt8]
}
