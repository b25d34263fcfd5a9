import Belfry
import Foundation
import Synchronization

/// The phone's clock, which a person can set, and the time that the app's process sees.
final class PhoneClock: Sendable {
    /// The longest sleep of the app, in seconds. Then it reads the clock again, because a person may have set it.
    private static let glance: TimeInterval = 1

    private let world: DeviceEnvironment
    private let ahead = Mutex<TimeInterval>(0)

    init(_ world: DeviceEnvironment) {
        self.world = world
    }

    /// The phone's time.
    var now: Date { world.now().addingTimeInterval(offset) }

    /// The phone's time, rounded down to a full minute.
    var minute: Date { Date(timeIntervalSince1970: (now.timeIntervalSince1970 / 60).rounded(.down) * 60) }

    /// The seconds by which the phone's clock is ahead of real time.
    var offset: TimeInterval {
        get { ahead.withLock { $0 } }
        set { ahead.withLock { $0 = newValue } }
    }

    /// The time, randomness and ids for a process of this phone.
    func environment(_ gate: ProcessGate) -> DeviceEnvironment {
        var environment = DeviceEnvironment(
            now: { self.now }, random: world.random, makeUUID: world.makeUUID,
            sleep: { [world] end in
                let until = min(end.addingTimeInterval(-self.offset), world.now().addingTimeInterval(Self.glance))
                await world.sleep(until)
                try? await gate.pass()
            }
        )
        // Setting the clock does not change the steady time.
        environment.steadyTime = world.steadyTime
        return environment
    }
}
