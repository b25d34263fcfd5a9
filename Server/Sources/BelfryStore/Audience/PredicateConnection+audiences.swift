import BelfryModel

/// A device of an audience, and its contact when the device was found.
package struct AudienceMember: Hashable, Sendable {
    package let device: Int64
    package let contact: Int64?

    package init(device: Int64, contact: Int64?) {
        self.device = device
        self.contact = contact
    }
}

/// The given devices that belong to an audience, as far as the budget allowed.
package struct AudienceSlice: Hashable, Sendable {
    /// The members, ordered by their devices' numbers.
    package let members: [AudienceMember]
    /// The last device that was checked.
    package let reached: Int64

    package init(members: [AudienceMember], reached: Int64) {
        self.members = members
        self.reached = reached
    }
}

/// Questions about audiences. For an audience with event conditions, the devices are checked a few at a time; the parts
/// grow while they cost little.
extension PredicateConnection {
    /// Counts the devices of a range that belong to an audience.
    ///
    /// - Parameter candidates: the devices that may belong to the audience, from ``candidates(_:)``; nil: any.
    package func count(
        app: Int64, audience: AudiencePredicate, devices: ClosedRange<Int64> = 0...Int64.max,
        candidates: SQLFragment? = nil
    ) throws -> Int {
        func count(_ devices: ClosedRange<Int64>, _ candidates: SQLFragment?) throws -> Int {
            let query = AudienceRepository.count(
                app: app, audience: audience, devices: devices, candidates: candidates
            )
            return try connection.first(query.sql, query.arguments) { Int($0.integer(0)) } ?? 0
        }
        guard audience.asksForEvents else {
            // Single lookups need no preparation for a scan of the whole table.
            return try candidates == nil
                ? connection.scanning { try count(devices, nil) } : count(devices, candidates)
        }
        guard let known = try known(devices, of: app) else { return 0 }
        // Each clause uses the candidates again, so they are listed once.
        let listed = try candidates.map { candidates in
            try connection.query(candidates.sql, candidates.arguments) { $0.integer(0) }
        }.map { SQLFragment("SELECT value AS device_id FROM (\(connection.dialect.integers)) i", [.integers($0)]) }
        var total = 0
        var windows = DeviceWindows(known)
        while let window = windows.next(spent: budget.spent) { total += try count(window, listed) }
        return total
    }

    /// Finds those of some devices that belong to an audience, up to a limit.
    ///
    /// - Parameter enough: the part of the budget, spent by any question so far, at which the slice ends.
    /// - Throws: ``StoreError/tooExpensive(seconds:)`` when the budget is spent before a single device was checked.
    package func slice(
        app: Int64, audience: AudiencePredicate, devices: ClosedRange<Int64>, limit: Int,
        enough: Double = PredicateConnection.enough
    ) throws -> AudienceSlice {
        var members: [AudienceMember] = []
        func take(_ window: ClosedRange<Int64>) throws {
            let scope = AudienceScope.devices(window, of: app, withOpenings: audience.asksForOpenings)
            let query: SQLFragment = """
                SELECT a.device_id, a.contact_id FROM \(scope.source)
                WHERE \(scope.condition) AND (\(audience.condition(in: scope)))
                ORDER BY a.device_id LIMIT \(bind: .integer(limit - members.count))
                """
            members += try connection.query(query.sql, query.arguments) {
                AudienceMember(device: $0.integer(0), contact: $0.optionalInteger(1))
            }
        }
        func isFull() -> Bool { members.count >= limit }
        guard audience.asksForEvents else {
            try take(devices)
            return AudienceSlice(
                members: members, reached: isFull() ? members.last?.device ?? devices.upperBound : devices.upperBound
            )
        }
        guard let known = try known(devices, of: app) else {
            return AudienceSlice(members: [], reached: devices.upperBound)
        }
        var windows = DeviceWindows(known)
        var reached: Int64?
        while let window = windows.next(spent: budget.spent) {
            do {
                try budget.spending(1) { try take(window) }
            } catch StoreError.tooExpensive where reached != nil {
                break
            }
            reached = window.upperBound
            if isFull() { return AudienceSlice(members: members, reached: members.last?.device ?? window.upperBound) }
            if reached != known.upperBound, budget.spent > enough { break }
        }
        let end = reached == known.upperBound ? devices.upperBound : reached ?? devices.upperBound
        return AudienceSlice(members: members, reached: end)
    }

    /// The part of its budget, 0 to 1, after which a slice ends.
    package static var enough: Double { 0.2 }
    /// How much of the budget is spent, 0 to 1; for callers with several questions.
    package var spent: Double { budget.spent }

    /// Whether a device belongs to an audience.
    ///
    /// - Parameter share: the part of the remaining budget that this may cost, 0 to 1.
    package func holds(
        _ device: Int64, app: Int64, audience: AudiencePredicate, share: Double
    ) throws -> Bool {
        try budget.spending(share) {
            try connection.audiences.holds(device, app: app, audience: audience)
        }
    }

    /// The smallest set of devices that an index finds and that includes the whole audience; nil if no small one
    /// exists.
    package func candidates(_ tree: AudienceCandidates?) throws -> SQLFragment? {
        try connection.audiences.candidates(tree)
    }

    /// The next devices of an audience, ordered by number, with the values that a campaign needs. The page holds at
    /// most ``RecipientRepository/maximumValueBytes`` of values, and is empty only at the end of the audience.
    package func recipients(
        after device: Int64, app: Int64, audience: AudiencePredicate, values: [RecipientValue], limit: Int
    ) throws -> [Recipient] {
        guard device < Int64.max, let known = try known((device + 1)...Int64.max, of: app) else { return [] }
        var recipients: [Recipient] = []
        var room = ByteRoom(RecipientRepository.maximumValueBytes)
        var windows = DeviceWindows(known, first: audience.asksForEvents ? 1 : .max)
        while recipients.count < limit, !room.isCut, let window = windows.next(spent: budget.spent) {
            let scope = AudienceScope.devices(window, of: app, withOpenings: audience.asksForOpenings)
            recipients += try connection.recipients.next(
                in: scope, app: app, audience: audience.condition(in: scope), values: values,
                limit: limit - recipients.count, &room
            )
        }
        return recipients
    }

    /// How many devices of an audience are in each time zone; nil stands for devices that name none. Devices may send
    /// any name, so only the most frequent are counted.
    package func zones(app: Int64, audience: AudiencePredicate) throws -> [String?: Int] {
        guard let known = try known(0...Int64.max, of: app) else { return [:] }
        var counts: [String?: Int] = [:]
        var windows = DeviceWindows(known, first: audience.asksForEvents ? 1 : .max)
        while let window = windows.next(spent: budget.spent) {
            let scope = AudienceScope.devices(window, of: app, withOpenings: audience.asksForOpenings)
            let query: SQLFragment = """
                SELECT a.time_zone, count(*) AS devices FROM \(scope.source)
                WHERE \(scope.condition) AND (\(audience.condition(in: scope)))
                GROUP BY a.time_zone ORDER BY devices DESC LIMIT \(bind: .integer(Self.maximumZones))
                """
            for (zone, count) in try connection.query(
                query.sql, query.arguments, { ($0.optionalText(0), Int($0.integer(1))) }
            ) {
                counts[zone, default: 0] += count
            }
        }
        return counts
    }

    /// The most time zones that are counted; the world has some four hundred.
    private static let maximumZones = 600

    /// The recipients in a range of devices, and the last device that was checked. The range is read as
    /// ``slice(app:audience:devices:limit:enough:)`` does.
    ///
    /// - Throws: ``StoreError/tooExpensive(seconds:)`` when the budget is spent before a single device was checked.
    package func recipients(
        in devices: ClosedRange<Int64>, app: Int64, audience: AudiencePredicate, values: [RecipientValue], limit: Int,
        enough: Double = PredicateConnection.enough
    ) throws -> (recipients: [Recipient], reached: Int64) {
        guard let known = try known(devices, of: app) else { return ([], devices.upperBound) }
        var recipients: [Recipient] = []
        var room = ByteRoom(RecipientRepository.maximumValueBytes)
        var windows = DeviceWindows(known, first: audience.asksForEvents ? 1 : .max)
        var reached: Int64?
        while let window = windows.next(spent: budget.spent) {
            let scope = AudienceScope.devices(window, of: app, withOpenings: audience.asksForOpenings)
            do {
                recipients += try connection.recipients.next(
                    in: scope, app: app, audience: audience.condition(in: scope), values: values,
                    limit: limit - recipients.count, &room
                )
            } catch StoreError.tooExpensive where reached != nil {
                break
            }
            reached = window.upperBound
            if recipients.count >= limit || room.isCut {
                return (recipients, recipients.last?.device ?? window.upperBound)
            }
            if reached != known.upperBound, budget.spent > enough { break }
        }
        return (recipients, reached == known.upperBound ? devices.upperBound : reached ?? devices.upperBound)
    }

    /// The part of a range between the app's first and last device; nil if it is empty.
    private func known(_ devices: ClosedRange<Int64>, of app: Int64) throws -> ClosedRange<Int64>? {
        guard let all = try connection.audiences.devices(app: app), devices.overlaps(all) else { return nil }
        return devices.clamped(to: all)
    }
}

/// Splits a range of devices into parts: the first is one device, and a part that cost little is followed by a larger
/// one.
struct DeviceWindows {
    private static let growth: Int64 = 8
    /// The most devices of a part, so that the data about their persons stays small in memory.
    private static let largest: Int64 = 1 << 16
    /// The part of the budget below which a part is followed by a larger one.
    private static let little = 1.0 / 64

    private let devices: ClosedRange<Int64>
    private var next: Int64?
    private var size: Int64
    private var spentBefore = 0.0

    init(_ devices: ClosedRange<Int64>, first size: Int64 = 1) {
        self.devices = devices
        self.size = size
        next = devices.lowerBound
    }

    /// - Parameter spent: how much of the budget is spent so far, 0 to 1.
    mutating func next(spent: Double) -> ClosedRange<Int64>? {
        guard let first = next else { return nil }
        if first > devices.lowerBound, spent - spentBefore < Self.little {
            size = min(size * Self.growth, Self.largest)
        }
        spentBefore = spent
        let last = devices.upperBound - first < size ? devices.upperBound : first + size - 1
        next = last < devices.upperBound ? last + 1 : nil
        return first...last
    }
}
