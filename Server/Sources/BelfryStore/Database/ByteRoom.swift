/// How many bytes of long texts statements may still give. An event may have 64 KiB and a contact still more, and
/// anybody's device sends them, so a number of rows bounds no memory (SEC-2).
package struct ByteRoom: Hashable, Sendable {
    /// The next row is given as long as there are any.
    package private(set) var left: Int
    /// Whether something was left out.
    package private(set) var isCut = false

    /// - Parameter maximum: the first row is given in any case.
    package init(_ maximum: Int) {
        left = max(maximum, 1)
    }

    package var isFull: Bool { left <= 0 }

    /// Takes what the texts of the next row have. The one with which the room is full is given whole.
    ///
    /// - Returns: false when there is no room for it, nor for any behind it.
    package mutating func take(_ bytes: Int) -> Bool {
        guard !isFull else {
            isCut = true
            return false
        }
        left -= bytes
        return true
    }

    /// Notes that there are rows behind those that were given.
    package mutating func cut() {
        isCut = true
    }
}
