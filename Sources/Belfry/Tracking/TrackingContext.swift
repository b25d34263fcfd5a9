/// The values that every event gets at present.
struct TrackingContext: Sendable {
    /// The number of the contact for whom events are tracked now (ID-7).
    var owner = 0
    var sessionID: String?
}
