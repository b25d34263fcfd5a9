extension FaultPlan.Fault {
    /// What the push service refuses a push with instead of accepting it.
    func webPushRefusal(retryAfter: Int?) -> WebPushRefusal? {
        switch self {
        case .tooManyRequests: WebPushRefusal(.tooManyRequests, retryAfter: retryAfter)
        case .internalServerError: WebPushRefusal(.internalServerError)
        case .serviceUnavailable, .shutdown: WebPushRefusal(.serviceUnavailable, retryAfter: retryAfter)
        case .slowAnswer, .noAnswer, .connectionLostBefore, .connectionLostAfter: nil
        }
    }
}
