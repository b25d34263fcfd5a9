import Foundation

extension DeviceEnvironment {
    /// The real clock, real chance, new ids.
    public static let live = DeviceEnvironment(
        now: { Date() },
        random: { Double.random(in: 0..<1) },
        makeUUID: { UUID() },
        sleep: { until in
            // At most an hour at a time: the clock may be set while the device sleeps.
            let seconds = min(max(until.timeIntervalSinceNow, 0), 3600)
            // A cancelled sleep has nothing to say; it returns.
            try? await Task.sleep(for: .seconds(seconds))
        }
    )
}
