/// The limits that a simulator sets for each of its devices.
struct DeviceLimits: Sendable {
    /// How many pushes wait for a device that is away.
    var stored: Int
    /// How many pushes a stream holds for a device that does not read.
    var streamBuffer: Int
    /// When one device gets 429.
    var rate: SimulatorQuota?

    init(stored: Int, streamBuffer: Int, rate: SimulatorQuota?) {
        self.stored = stored
        self.streamBuffer = max(streamBuffer, 1)
        self.rate = rate
    }
}
