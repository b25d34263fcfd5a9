/// How much of the store's file system must stay free. Below it, calls that make the store grow are rejected (SEC-9).
package enum DiskFloor: Hashable, Sendable {
    case off
    case bytes(Int64)
    /// A share of the whole file system in percent, but at most this many bytes.
    case share(percent: Int64, atMost: Int64)

    package static let standard = DiskFloor.share(percent: 5, atMost: 10_000_000_000)
    /// The format that ``init(_:)`` reads, in words.
    package static let form = "'off', a share of the disk such as 5%, or an amount such as 500MB or 2GB"

    private static let units: [(name: String, bytes: Int64)] = [
        ("KB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000),
    ]
    private static let maximumDigits = 5
    private static let percents: ClosedRange<Int64> = 1...90

    /// Reads the format of ``form``. Nil for any other text.
    package init?(_ text: String) {
        if text == "off" {
            self = .off
            return
        }
        let digits = text.utf8.prefix { (0x30...0x39).contains($0) }
        guard (1...Self.maximumDigits).contains(digits.count) else { return nil }
        let number = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
        let unit = String(text.utf8.dropFirst(digits.count)) ?? ""
        if unit == "%" {
            guard Self.percents.contains(number) else { return nil }
            self = .share(percent: number, atMost: .max)
        } else {
            guard let bytes = Self.units.first(where: { $0.name == unit })?.bytes else { return nil }
            self = .bytes(number * bytes)
        }
    }

    /// The floor in bytes.
    ///
    /// - Parameter total: the size of the whole file system in bytes.
    package func bytes(of total: Int64) -> Int64 {
        switch self {
        case .off: 0
        case .bytes(let bytes): bytes
        case .share(let percent, let most): min(total / 100 * percent, most)
        }
    }
}

/// The file system of the store at one moment, in bytes.
package struct DiskSpace: Hashable, Sendable {
    package var total: Int64
    /// The space that this process may still use.
    package var available: Int64
    /// The part of the store's log that may still have to be copied into its file, which then grows by at most as much.
    package var unsettled: Int64

    package init(total: Int64, available: Int64, unsettled: Int64) {
        self.total = total
        self.available = available
        self.unsettled = unsettled
    }

    /// The space that is left after the log was copied.
    var left: Int64 { available - unsettled }

    /// Whether a file system that was full has room again for the store's writes, whatever the floor is.
    var hasRoomForWrites: Bool { left >= min(total / 64, 1 << 20) }
}

/// Decides whether the store may grow.
struct DiskLevel: Hashable, Sendable {
    /// The divisor of the floor that gives the margin: so much more than the floor must be free before the store may
    /// grow again. Without it, free space near the floor would switch between both states every second.
    private static let margin: Int64 = 10

    private(set) var isLow = false
    /// Whether the log should be copied back, because it takes space that the store needs.
    private(set) var wantsRoom = false

    /// Updates the decision. The log's file is reused and not cut, and the space that it needs is free again after a
    /// copy. So a small disk is not treated as low before the log was copied.
    ///
    /// - Parameter isSettled: whether the log has just been copied back, as far as possible.
    mutating func take(_ space: DiskSpace, floor: DiskFloor, isSettled: Bool) {
        let bytes = floor.bytes(of: space.total)
        guard bytes > 0 else {
            self = DiskLevel()
            return
        }
        wantsRoom = space.left < (isLow ? bytes + bytes / Self.margin : bytes)
        // Copying cannot free enough, or might leave too little space to copy.
        let isUrgent = space.available < bytes - space.unsettled || space.left < bytes / 2
        if isSettled || isUrgent || !wantsRoom { isLow = wantsRoom }
    }
}
