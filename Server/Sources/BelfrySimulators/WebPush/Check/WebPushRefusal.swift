/// Why the push service does not take a push.
struct WebPushRefusal: Error, Sendable, Equatable {
    let reason: WebPushSimulator.Reason
    /// Seconds that `Retry-After` says.
    let retryAfter: Int?

    init(_ reason: WebPushSimulator.Reason, retryAfter: Int? = nil) {
        self.reason = reason
        self.retryAfter = retryAfter
    }

    var answer: Answer {
        var fields = [Answer.Field(name: "content-type", value: "application/json")]
        if let retryAfter { fields.append(Answer.Field(name: "retry-after", value: String(retryAfter))) }
        if reason == .missingAuthorization { fields.append(Answer.Field(name: "www-authenticate", value: "vapid")) }
        return Answer(status: reason.status, fields: fields, body: #"{"reason":"\#(reason.rawValue)"}"#)
    }
}
