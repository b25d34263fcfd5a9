/// Something about an accepted push that is allowed, and worth knowing.
enum Remark: Sendable, Hashable {
    /// `apns-push-type` was left out.
    case withoutPushType
    /// Nobody but the sender can read it.
    case unreadable
    /// It was only to be checked.
    case validated
}
