/// How many more bytes of long texts statements may return. An event may have 64 KiB and a contact even more, and
/// anyone's device can send them, so a limit on rows does not limit memory (SEC-2).
package struct ByteRoom: Hashable, Sendable {
    /// The bytes left. The next row is returned if there are any.
    package private(set) var left: Int
    /// Whether a row was left out.
    package private(set) var isCut = false

    /// - Parameter maximum: the limit in bytes; the first row is returned in any case.
    package init(_ maximum: Int) {
        left = max(maximum, 1)
    }

    package var isFull: Bool { left <= 0 }

    /// Takes the bytes of the next row's texts. The row that exceeds the limit is still returned whole.
    ///
    /// - Returns: false when there is no room for this row or any later one.
    package mutating func take(_ bytes: Int) -> Bool {
        guard !isFull else {
            isCut = true
            return false
        }
        left -= bytes
        return true
    }

    /// Records that there are more rows than those returned.
    package mutating func cut() {
        isCut = true
    }
}
