import Belfry
import Foundation
import Synchronization

/// The phone's clock, which a person can set, and the time that its processes get.
final class PhoneClock: Sendable {
    /// The longest sleep of the app in seconds: after it, it looks at the clock again, which may have been set.
    private static let glance: TimeInterval = 1

    private let world: DeviceEnvironment
    private let ahead = Mutex<TimeInterval>(0)

    init(_ world: DeviceEnvironment) {
        self.world = world
    }

    /// The phone's time.
    var now: Date { world.now().addingTimeInterval(offset) }

    /// The last full minute of the phone's time.
    var minute: Date { Date(timeIntervalSince1970: (now.timeIntervalSince1970 / 60).rounded(.down) * 60) }

    /// Seconds by which it is ahead of the world's time.
    var offset: TimeInterval {
        get { ahead.withLock { $0 } }
        set { ahead.withLock { $0 = newValue } }
    }

    /// What a process of this phone gets of time, randomness and ids.
    func environment(_ gate: ProcessGate) -> DeviceEnvironment {
        var environment = DeviceEnvironment(
            now: { self.now }, random: world.random, makeUUID: world.makeUUID,
            sleep: { [world] end in
                let until = min(end.addingTimeInterval(-self.offset), world.now().addingTimeInterval(Self.glance))
                await world.sleep(until)
                try? await gate.pass()
            }
        )
        // A phone's clock that is set changes nothing about how long it runs.
        environment.steadyTime = world.steadyTime
        return environment
    }
}
