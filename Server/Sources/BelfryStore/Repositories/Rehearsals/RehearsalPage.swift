/// The devices of one page of a rehearsal, ordered by number, packed into few bytes: a million devices take some
/// megabytes.
package struct RehearsalPage: Hashable, Sendable {
    package let devices: [RehearsedDevice]

    /// - Parameter devices: the devices, ordered by number.
    package init(_ devices: [RehearsedDevice]) {
        self.devices = devices
    }

    /// The outcomes on the page as a bit set, so that a page without a wanted outcome need not be unpacked.
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

    /// Nil for bytes that are not a packed page.
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

/// A page as stored. It is packed before the writer is requested, so that other writes can run meanwhile.
package struct PackedRehearsalPage: Hashable, Sendable {
    let firstDevice: Int64
    let lastDevice: Int64
    let outcomes: Int64
    let content: [UInt8]

    /// Nil for an empty page, which is not stored.
    package init?(_ page: RehearsalPage) {
        guard let first = page.devices.first, let last = page.devices.last else { return nil }
        firstDevice = first.device
        lastDevice = last.device
        outcomes = page.outcomes
        content = page.packed
    }
}

/// A set of places as 64 bits; places from the 62nd on share one bit.
enum PlaceMask {
    private static let bits = 62

    static func bit(of place: Int) -> Int64 { 1 << Int64(min(max(place, 0), bits)) }
}

/// A summary of a page, so that a page without wanted devices need not be read as a whole. Pages of an older program
/// have none.
struct RehearsalPageHead: Hashable, Sendable {
    /// The most bytes of a head.
    static let maximumBytes = 80
    /// Marks a page with a head: no page of an older program begins so, and none of those programs can read it, since
    /// it is a number of more than 64 bits.
    private static let mark = [UInt8](repeating: 0x80, count: 10) + [1]

    private(set) var zones: Int64 = 0
    private(set) var platforms: Int64 = 0
    private(set) var locales: Int64 = 0
    private(set) var marks: RehearsedMarks = []
    /// The range of seconds after the launch at which the page's pushes would be sent, or its deliveries end.
    let after: ClosedRange<Int>

    /// Nil if only outcomes are known for a device.
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

    /// Nil for bytes that do not begin with a head.
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
