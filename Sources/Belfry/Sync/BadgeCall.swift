/// A call about the badge under way.
struct BadgeCall: Sendable {
    enum Kind: Hashable, Sendable {
        case fetch
        /// What a person who has left still owes.
        case reset
        case set
    }

    let kind: Kind
    /// As they were when it began.
    let generation: Int
    let revision: Int64
    /// A set before it had no answer, so this one may have been taken for its repetition.
    let wasUncertain: Bool
    /// The number of the one who waits for it; nil for the engine's own.
    let awaited: Int?
}
