extension APNsSimulator {
    /// How many pushes one device token takes before 429 `TooManyRequests`. Apple gives no figure.
    public typealias TokenRateLimit = SimulatorQuota
}
