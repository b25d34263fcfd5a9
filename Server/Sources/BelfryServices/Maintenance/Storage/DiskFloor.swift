/// How much of the store's file system stays free: below it nothing is taken that makes the store grow (SEC-9).
package enum DiskFloor: Hashable, Sendable {
    case off
    case bytes(Int64)
    /// A part of the whole file system, in percent, and no more than so many bytes.
    case share(percent: Int64, atMost: Int64)

    package static let standard = DiskFloor.share(percent: 5, atMost: 10_000_000_000)
    /// What ``init(_:)`` reads, in words.
    package static let form = "'off', a share of the disk such as 5%, or an amount such as 500MB or 2GB"

    private static let units: [(name: String, bytes: Int64)] = [
        ("KB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000),
    ]
    private static let maximumDigits = 5
    private static let percents: ClosedRange<Int64> = 1...90

    /// Reads ``form``; nil for anything else.
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

    /// - Parameter total: bytes of the whole file system.
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
    /// What this process may still use.
    package var available: Int64
    /// What stands in the store's log and may have to be copied into its file, which grows by as much at most.
    package var unsettled: Int64

    package init(total: Int64, available: Int64, unsettled: Int64) {
        self.total = total
        self.available = available
        self.unsettled = unsettled
    }

    /// What is left when the log has been copied.
    var left: Int64 { available - unsettled }

    /// Whether a full file system has room enough again for the store to write, whatever its floor.
    var hasRoomForWrites: Bool { left >= min(total / 64, 1 << 20) }
}

/// Whether the store may grow.
struct DiskLevel: Hashable, Sendable {
    /// So much more than the floor has to be free before the store grows again, as a part of the floor: one that swings
    /// around it is not let in and turned away by the second.
    private static let margin: Int64 = 10

    private(set) var isLow = false
    /// The log is to be copied back, since there is too little room while it stands.
    private(set) var wantsRoom = false

    /// The log's file is used again and again and not cut, and what it takes comes back when it has been copied: a
    /// small disk is not closed a moment before.
    ///
    /// - Parameter isSettled: the log was copied back just now, as far as that was possible.
    mutating func take(_ space: DiskSpace, floor: DiskFloor, isSettled: Bool) {
        let bytes = floor.bytes(of: space.total)
        guard bytes > 0 else {
            self = DiskLevel()
            return
        }
        wantsRoom = space.left < (isLow ? bytes + bytes / Self.margin : bytes)
        // What copying cannot cure, or what might leave too little to copy.
        let isUrgent = space.available < bytes - space.unsettled || space.left < bytes / 2
        if isSettled || isUrgent || !wantsRoom { isLow = wantsRoom }
    }
}
