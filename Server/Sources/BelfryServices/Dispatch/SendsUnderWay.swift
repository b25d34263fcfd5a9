/// The sends of a batch that have no answer yet, by the number that each got when it was handed over.
struct SendsUnderWay {
    /// An answered one is let go of at once: with its payload it is large.
    private var sendings: [Sending?] = []
    private(set) var count = 0

    /// - Returns: the number of the first; the others follow.
    mutating func add(_ more: [Sending]) -> Int {
        defer {
            sendings += more
            count += more.count
        }
        return sendings.count
    }

    /// Each is answered once.
    mutating func end(_ number: Int) -> Sending {
        // Cannot fail: a carrier answers every request exactly once.
        guard let sending = sendings[number] else { preconditionFailure("a carrier answered one request twice") }
        sendings[number] = nil
        count -= 1
        return sending
    }
}
