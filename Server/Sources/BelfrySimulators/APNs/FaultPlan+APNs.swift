extension FaultPlan.Fault {
    /// What APNs refuses the request with instead of accepting it.
    var apnsReason: APNsSimulator.Reason? {
        switch self {
        case .tooManyRequests: .tooManyRequests
        case .internalServerError: .internalServerError
        case .serviceUnavailable: .serviceUnavailable
        case .shutdown: .shutdown
        case .slowAnswer, .noAnswer, .connectionLostBefore, .connectionLostAfter: nil
        }
    }
}
