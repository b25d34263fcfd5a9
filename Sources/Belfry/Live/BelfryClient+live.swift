import BelfryRules
import Foundation

extension BelfryClient {
    /// Creates a client that calls its server over the network and uses the real clock.
    ///
    /// - Parameters:
    ///   - configuration: the app, the server, where to store, and the limits.
    ///   - platform: the device; ``HeadlessPlatform`` where there is no screen.
    /// - Throws: ``BelfryError/Code/invalidConfiguration``, or ``BelfryError/Code/directoryInUse`` when another client
    ///   uses the directory.
    public convenience init(
        configuration: BelfryConfiguration,
        platform: any DevicePlatform
    ) throws(BelfryError) {
        try self.init(
            configuration: configuration,
            platform: platform,
            transport: HTTPTransport(serverURL: configuration.serverURL),
            environment: .live
        )
    }
}

extension DeviceEnvironment {
    /// The real clock, random numbers and new ids.
    public static let live: DeviceEnvironment = {
        var environment = DeviceEnvironment(
            now: { Date() },
            random: { Double.random(in: 0..<1) },
            makeUUID: { UUID() },
            sleep: { until in
                // At most an hour at a time, because the clock may be set while the device sleeps.
                let seconds = min(max(until.timeIntervalSinceNow, 0), 3600)
                // It returns early when it is cancelled.
                try? await Task.sleep(for: .seconds(seconds))
            }
        )
        environment.steadyTime = { SteadyTime.system }
        return environment
    }()
}
