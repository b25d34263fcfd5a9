/// What FCM knows of a registration token when a message for it arrives.
struct FCMDeviceStanding: Sendable, Equatable {
    var project: String
    var state: FCMSimulator.TokenState
}
