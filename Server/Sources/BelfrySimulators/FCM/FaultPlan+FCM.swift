extension FaultPlan.Fault {
    /// What FCM refuses a message with instead of accepting it.
    func fcmRefusal(retryAfter: Int?) -> FCMRefusal? {
        switch self {
        case .tooManyRequests:
            FCMRefusal(.quotaExceeded, "Resource has been exhausted (e.g. check quota).", retryAfter: retryAfter)
        case .internalServerError:
            FCMRefusal(.internal, "Internal error encountered.")
        case .serviceUnavailable, .shutdown:
            FCMRefusal(.unavailable, "The service is currently unavailable.", retryAfter: retryAfter)
        case .slowAnswer, .noAnswer, .connectionLostBefore, .connectionLostAfter: nil
        }
    }

    /// What the token endpoint refuses a request with.
    func tokenRefusal(retryAfter: Int?) -> FCMTokenRefusal? {
        switch self {
        case .tooManyRequests: FCMTokenRefusal(.rateLimited, "Rate limit exceeded.", retryAfter: retryAfter)
        case .internalServerError: FCMTokenRefusal(.internalFailure, "Backend error.")
        case .serviceUnavailable, .shutdown:
            FCMTokenRefusal(.unavailable, "Service unavailable.", retryAfter: retryAfter)
        case .slowAnswer, .noAnswer, .connectionLostBefore, .connectionLostAfter: nil
        }
    }
}
