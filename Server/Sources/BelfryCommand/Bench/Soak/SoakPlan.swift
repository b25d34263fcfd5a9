import BelfrySimulators

/// How long a soak lasts and how much there is to do.
struct SoakPlan: Sendable {
    let length: Duration
    let devices: Int
    let phones: Int
    let callsPerSecond: Int

    /// Sixty samples make each sixth of the time, whatever its length, but none is shorter than a second.
    var interval: Duration { max(.seconds(1), length / 360) }
    /// Thirty campaigns of each kind in an hour.
    var campaignInterval: Duration { max(.seconds(2), length / 150) }
    /// A hundredth of the devices leaves and as many come, each minute of an hour.
    var replacementInterval: Duration { max(.milliseconds(100), length / 3_600) }

    /// How push services fail: about one push in forty, and a connection after each 500.
    static func faults(seed: UInt64) throws -> FaultPlan {
        try FaultPlan(
            seed: seed,
            rates: [
                .tooManyRequests: 0.01, .internalServerError: 0.005, .serviceUnavailable: 0.005,
                .connectionLostAfter: 0.002, .slowAnswer: 0.05,
            ],
            slowAnswer: .milliseconds(200), goAwayAfter: 500, retryAfter: 1
        )
    }
}
