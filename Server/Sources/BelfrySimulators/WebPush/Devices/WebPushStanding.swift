/// What the push service knows of a subscription, and what its browser keeps to itself.
struct WebPushStanding: Sendable {
    var state: WebPushSimulator.SubscriptionState
    /// An uncompressed point of P-256; nil: anybody may push.
    var applicationServerKey: [UInt8]?
    var keys: WebPushKeys
}
