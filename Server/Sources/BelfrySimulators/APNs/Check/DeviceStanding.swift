/// What the push service knows of a device token when a push for it arrives.
struct DeviceStanding: Sendable, Equatable {
    var topic: String
    var environment: APNsSimulator.Environment
    var state: APNsSimulator.TokenState
}
