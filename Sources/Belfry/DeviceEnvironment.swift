import BelfryRules
import Foundation

/// The effects that the SDK needs from outside: time, randomness, ids and waiting.
///
/// Apps use ``live``; tests use a clock that they control.
public struct DeviceEnvironment: Sendable {
    /// The device's clock.
    public var now: @Sendable () -> Date
    /// A random number from 0 to 1, for the jitter of back-offs.
    public var random: @Sendable () -> Double
    /// Creates ids of the device, of sessions, events and registrations.
    public var makeUUID: @Sendable () -> UUID
    /// Returns at that time or earlier, and at once when the task is cancelled.
    public var sleep: @Sendable (_ until: Date) async -> Void
    /// A clock that nobody can set; nil where there is none: then the device's clock is used.
    public var steadyTime: @Sendable () -> SteadyTime? = { nil }
    /// Lets a test observe the store; nil in every app.
    package var storeProbe: StoreProbe?

    /// Creates an environment; there are no defaults.
    public init(
        now: @escaping @Sendable () -> Date,
        random: @escaping @Sendable () -> Double,
        makeUUID: @escaping @Sendable () -> UUID,
        sleep: @escaping @Sendable (_ until: Date) async -> Void
    ) {
        self.now = now
        self.random = random
        self.makeUUID = makeUUID
        self.sleep = sleep
    }
}

extension DeviceEnvironment {
    /// A random number from 0 to 1.
    func jitter() -> Double {
        random()
    }
}
