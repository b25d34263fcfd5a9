/// The client's handling of a call after its response.
package enum CallOutcomeV3: Hashable, Sendable {
    case accepted(Int)
    /// It is gone for good. 418 is the client's own word for a token that could not be renewed.
    case dropped(Int)
    /// It stays at the head of the queue until something gives occasion to try again; nil: no response came.
    case kept(Int?)

    /// The meaning of a status, but for 401.
    init(status: Int) {
        switch status {
        case 200..<300: self = .accepted(status)
        case 408, 429: self = .kept(status)
        case 400..<500: self = .dropped(status)
        default: self = .kept(status)
        }
    }
}
