import Belfry

/// The lines of an app that start the SDK, run by an executor whose time is counted.
actor AppStart {
    nonisolated let thread = TimedExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// - Returns: the client that runs, how long its `init` took, and how long after its call `start` returned.
    func start(
        _ configuration: BelfryConfiguration, on platform: HeadlessPlatform
    ) async throws -> (client: BelfryClient, made: Duration, returned: Duration) {
        let clock = ContinuousClock()
        let begin = clock.now
        let client = try BelfryClient(configuration: configuration, platform: platform)
        let made = clock.now
        try await client.start()
        return (client: client, made: made - begin, returned: clock.now - made)
    }
}
