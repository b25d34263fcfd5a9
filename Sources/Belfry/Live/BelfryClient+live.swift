extension BelfryClient {
    /// Makes a client that talks to its server over the network, by the real clock.
    ///
    /// - Parameters:
    ///   - configuration: which app and server, where to store, and the limits.
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
            transport: URLSessionTransport(serverURL: configuration.serverURL),
            environment: .live
        )
    }
}
