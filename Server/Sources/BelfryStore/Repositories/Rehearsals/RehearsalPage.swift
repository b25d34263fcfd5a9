/// The devices of one page, in the order of their numbers, packed into few bytes: a million of them is some megabytes.
package struct RehearsalPage: Hashable, Sendable {
    package let devices: [RehearsedDevice]

    /// - Parameter devices: in the order of their numbers.
    package init(_ devices: [RehearsedDevice]) {
        self.devices = devices
    }

    /// Which outcomes are there, so that a page without one need not be unpacked.
    var outcomes: Int64 {
        devices.reduce(0) { $0 | PlaceMask.bit(of: $1.outcome) }
    }

    package var packed: [UInt8] {
        var bytes = PackedNumbers()
        bytes.reserve(devices.count * 9)
        let head = RehearsalPageHead(of: devices)
        head?.append(to: &bytes)
        var last: Int64 = 0
        for entry in devices {
            bytes.append(UInt64(bitPattern: entry.device &- last))
            bytes.append(entry.outcome)
            bytes.append(entry.after)
            if head != nil, let traits = entry.traits {
                bytes.append(traits.zone)
                bytes.append(traits.platform)
                bytes.append(traits.locale)
                bytes.append(traits.marks.rawValue)
            }
            last = entry.device
        }
        return bytes.bytes
    }

    /// Nil for bytes that are none.
    package init?(packed bytes: [UInt8]) {
        var devices: [RehearsedDevice] = []
        var rest = PackedNumbers.Reader(bytes)
        let isMarked = RehearsalPageHead.isMarked(bytes)
        if isMarked { guard RehearsalPageHead(readingFrom: &rest) != nil else { return nil } }
        var last: Int64 = 0
        while !rest.isAtEnd {
            guard let step = rest.number(), let outcome = rest.small(), let after = rest.small() else { return nil }
            last &+= Int64(bitPattern: step)
            var traits: RehearsedTraits?
            if isMarked {
                guard let zone = rest.small(), let platform = rest.small(), let locale = rest.small(),
                    let marks = rest.small()
                else { return nil }
                traits = RehearsedTraits(
                    zone: zone, platform: platform, locale: locale, marks: RehearsedMarks(rawValue: marks)
                )
            }
            devices.append(RehearsedDevice(device: last, outcome: outcome, after: after, traits: traits))
        }
        self.devices = devices
    }
}

/// A page as the store keeps it. It is packed before the writer is asked for: meanwhile others write.
package struct PackedRehearsalPage: Hashable, Sendable {
    let firstDevice: Int64
    let lastDevice: Int64
    let outcomes: Int64
    let content: [UInt8]

    /// Nil for an empty page, which is not kept.
    package init?(_ page: RehearsalPage) {
        guard let first = page.devices.first, let last = page.devices.last else { return nil }
        firstDevice = first.device
        lastDevice = last.device
        outcomes = page.outcomes
        content = page.packed
    }
}

/// A set of places in which those from the 62nd on share one bit.
enum PlaceMask {
    private static let bits = 62

    static func bit(of place: Int) -> Int64 { 1 << Int64(min(max(place, 0), bits)) }
}

/// What a page has, so that one without what is asked for need not be read as a whole. Pages of an older program have
/// none.
struct RehearsalPageHead: Hashable, Sendable {
    /// Bytes in which every head ends.
    static let maximumBytes = 80
    /// What no page of an older program begins with, and none can read: a number of more than 64 bits.
    private static let mark = [UInt8](repeating: 0x80, count: 10) + [1]

    private(set) var zones: Int64 = 0
    private(set) var platforms: Int64 = 0
    private(set) var locales: Int64 = 0
    private(set) var marks: RehearsedMarks = []
    /// Seconds after the launch at which its devices would leave, or end.
    let after: ClosedRange<Int>

    /// Nil where nothing but outcomes is known.
    init?(of devices: [RehearsedDevice]) {
        guard let first = devices.first else { return nil }
        var (least, most) = (first.after, first.after)
        for entry in devices {
            guard let traits = entry.traits else { return nil }
            zones |= PlaceMask.bit(of: traits.zone)
            platforms |= PlaceMask.bit(of: traits.platform)
            locales |= PlaceMask.bit(of: traits.locale)
            marks.formUnion(traits.marks)
            (least, most) = (min(least, entry.after), max(most, entry.after))
        }
        after = max(least, 0)...max(most, 0)
    }

    static func isMarked(_ bytes: [UInt8]) -> Bool { bytes.starts(with: mark) }

    func append(to bytes: inout PackedNumbers) {
        bytes.append(raw: Self.mark)
        for mask in [zones, platforms, locales] { bytes.append(UInt64(bitPattern: mask)) }
        bytes.append(marks.rawValue)
        bytes.append(after.lowerBound)
        bytes.append(after.upperBound)
    }

    /// Nil for bytes that do not begin with one.
    init?(_ bytes: [UInt8]) {
        guard Self.isMarked(bytes) else { return nil }
        var rest = PackedNumbers.Reader(bytes)
        self.init(readingFrom: &rest)
    }

    init?(readingFrom rest: inout PackedNumbers.Reader) {
        rest.skip(Self.mark.count)
        guard let zones = rest.number(), let platforms = rest.number(), let locales = rest.number(),
            let marks = rest.small(), let least = rest.small(), let most = rest.small(), least <= most
        else { return nil }
        self.zones = Int64(bitPattern: zones)
        self.platforms = Int64(bitPattern: platforms)
        self.locales = Int64(bitPattern: locales)
        self.marks = RehearsedMarks(rawValue: marks)
        after = least...most
    }
}
