/// How many bytes of events a statement may still give: each may have 64 KiB of attributes, and anybody's device sends
/// them, so a number of events bounds no memory (SEC-2).
struct EventBytes {
    private var left: Int
    /// Whether something was left out.
    private(set) var isCut = false

    /// - Parameter maximum: the first event is given in any case.
    init(_ maximum: Int) {
        left = max(maximum, 1)
    }

    /// The attributes of the next event; nil when there is no room for it, nor for any behind it.
    mutating func take(_ attributes: @autoclosure () -> String) -> String? {
        guard left > 0 else {
            isCut = true
            return nil
        }
        let text = attributes()
        left -= text.utf8.count
        return text
    }
}
