/// How many bytes of long texts a statement may still give. An event may have 64 KiB of attributes and a contact still
/// more, and anybody's device sends them, so a number of rows bounds no memory (SEC-2).
struct ByteRoom {
    private var left: Int
    /// Whether something was left out.
    private(set) var isCut = false

    /// - Parameter maximum: the first text is given in any case.
    init(_ maximum: Int) {
        left = max(maximum, 1)
    }

    /// The text of the next row; nil when there is no room for it, nor for any behind it.
    mutating func take(_ next: @autoclosure () -> String) -> String? { take(next(), \.utf8.count) }

    /// The same of what has long texts.
    ///
    /// - Parameter bytes: of these.
    mutating func take<Element>(_ next: @autoclosure () -> Element, _ bytes: (Element) -> Int) -> Element? {
        guard left > 0 else {
            isCut = true
            return nil
        }
        let element = next()
        left -= bytes(element)
        return element
    }
}
