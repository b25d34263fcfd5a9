import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// The next devices of an audience with all data that decides about them, read in one database snapshot.
struct RehearsalInput: Sendable {
    var recipients: [Recipient] = []
    /// By device: when it got, or will get, notifications of other campaigns. Only read for a frequency cap.
    var pushes: [Int64: [CountedPush]] = [:]
    /// For each campaign that is simulated beside this one, by device: the time from which its send in progress counts.
    var reserved: [CampaignID: [Int64: Date]] = [:]
    /// For each campaign that is simulated beside this one, in their order: those of its recipients that are rehearsed,
    /// or for a campaign with a rate limit all its recipients in the page's range.
    var others: [[Recipient]] = []
    /// For a silent campaign: the devices' budgets (PUSH-7).
    var silentPushes: [Int64: SilentPushState] = [:]
    /// For an in-app campaign: the recorded events that may trigger it, by device, oldest first.
    var events: [Int64: [RecordedEvent]] = [:]
    /// Devices that have more events than are read.
    var busy: Set<Int64> = []
    /// Devices whose message center already shows the maximum number of messages (MC-5).
    var crowded: Set<Int64> = []
    /// The last device for which all of this is known.
    var reached: Int64
}

/// An event that a device has sent.
struct RecordedEvent: Hashable, Sendable {
    let at: Date
    let attributes: [String: AttributeValue]
}

/// Reads the data of a rehearsal page by page, in the order of device numbers, as the planner reads an audience.
struct RehearsalReading: Sendable {
    /// Days of recorded sessions on which in-app triggers are tried.
    static let recordedDays = 7
    /// The days of recorded sessions in seconds.
    static let recordedTime = Double(recordedDays) * 86_400
    /// The most devices of a page: few are in memory, and a process that has to stop ends soon.
    static let devicesAtOnce = 250
    /// The most recipients on one page of a campaign that is simulated beside this one.
    private static let othersAtOnce = 1_000
    /// The most devices of the app that are scanned for a page if other campaigns are simulated, rehearsed or not. For
    /// the devices between the page's own, the other campaigns' recipients and pushes are also read. All of them, or
    /// half of them, may be in the audience of a campaign with a rate limit, so scanning further would be in vain.
    static let scannedBesideOthers = 2 * othersAtOnce
    /// The share of a page's budget that may be spent to find the recipients of other campaigns. Campaigns with event
    /// conditions share it; otherwise the first would use all of it, and the next would be known for one device only.
    private static let spentOnOthers = 0.4
    /// How many devices' events are read at a time.
    private static let devicesWithEvents = 100
    /// The most events of a page, and the most bytes of their attributes; of one device no more are tried.
    static let maximumEvents = 20_000
    static let maximumEventBytes = 16 << 20

    let campaign: CampaignID
    let app: AppRecord
    let audience: Condition
    let values: [RecipientValue]
    /// The time of the rehearsed launch.
    let launch: Date
    /// The time of the rehearsal.
    let now: Date
    let lastDevice: Int64
    let cap: FrequencyCap?
    let isSilent: Bool
    /// The message center for the campaign's messages; nil if it keeps none.
    let center: MessageCenterName?
    /// The name of the event that triggers an in-app message.
    let trigger: String?
    /// The campaigns that are simulated beside this one.
    let others: [OtherNotifications]
    /// Whether the trigger uses the attributes of its events.
    var readsAttributes = true

    func page(after device: Int64, _ asked: PredicateConnection) throws -> RehearsalInput {
        var end = min(lastDevice, device + CampaignPlanner.scanSize)
        guard device < end else { return RehearsalInput(reached: lastDevice) }
        if cap != nil, !others.isEmpty {
            let audiences = asked.connection.audiences
            end = min(end, try audiences.device(Self.scannedBesideOthers, behind: device, app: app.id) ?? end)
        }
        let compiler = AudienceCompiler(connection: asked.connection, app: app.id)
        try compiler.check(audience)
        let (recipients, reached) = try asked.recipients(
            in: (device + 1)...end, app: app.id, audience: compiler.predicate(audience, now: launch), values: values,
            limit: Self.devicesAtOnce
        )
        var input = RehearsalInput(recipients: recipients, reached: reached)
        if let cap { try addPushes(to: &input, after: device, cap, compiler, asked) }
        guard !input.recipients.isEmpty else { return input }
        if let trigger {
            let found = try events(named: trigger, of: input.recipients, asked.connection)
            if let known = found.known { input = input.upTo(known) }
            input.events = found.events
            input.busy = found.busy
        }
        if isSilent {
            input.silentPushes = try asked.connection.silentPushes.states(of: input.recipients.map(\.device))
        }
        if let center { input.crowded = try crowded(center, of: input.recipients, asked.connection) }
        return input
    }

    /// Reads the pushes that count against caps. The page's range may have many recipients of other campaigns, and a
    /// device with many events takes long. Devices for which not everything is known are left to the next page.
    private func addPushes(
        to input: inout RehearsalInput, after device: Int64, _ cap: FrequencyCap, _ compiler: AudienceCompiler,
        _ asked: PredicateConnection
    ) throws {
        if let first = input.recipients.first?.device, let last = input.recipients.last?.device {
            let since = ([cap] + others.compactMap(\.cap)).map { $0.windowStart(now: now) }.min() ?? now
            // A campaign that has not started may start in the meantime; it is simulated from its start, so its real
            // pushes are not read.
            let recent = try asked.connection.frequencyCaps.recentPushes(
                of: first...last, app: app.id, since: since, now: now,
                except: Set([campaign] + others.filter { !$0.isPending }.map(\.campaign)),
                followed: Set(others.filter(\.isPending).map(\.campaign))
            )
            input.pushes = recent.pushes.mapValues { dates in dates.map { CountedPush(at: $0) } }
            input.reserved = recent.reserved
        }
        let isEmpty = input.recipients.isEmpty
        let audiences = try others.map { other in
            try isEmpty && !other.isRated ? nil : predicate(of: other, compiler)
        }
        var asking = audiences.count { audience in audience?.asksForEvents ?? false }
        var found: [[Recipient]] = []
        for (other, audience) in zip(others, audiences) {
            let share = asking == 0 ? 0 : max(Self.spentOnOthers - asked.spent, 0) / Double(asking)
            if audience?.asksForEvents ?? false { asking -= 1 }
            let (recipients, known) = try recipients(
                of: other, audience, beside: input, after: device, enough: asked.spent + share, asked
            )
            if known < input.reached { input = input.upTo(known) }
            found.append(recipients)
        }
        let reached = input.reached
        input.others = found.map { recipients in recipients.filter { $0.device <= reached } }
    }

    /// - Returns: nil for a campaign that is sending.
    private func predicate(of other: OtherNotifications, _ compiler: AudienceCompiler) throws -> AudiencePredicate? {
        guard case .audience(let audience) = other.recipients else { return nil }
        return try compiler.predicate(audience, now: other.launch)
    }

    /// - Parameters:
    ///   - audience: the audience of a campaign that has not started; nil for one that is sending.
    ///   - enough: how much of the budget may be spent before the search ends.
    /// - Returns: the other campaign's recipients, and the last device of the page for which they are known.
    private func recipients(
        of other: OtherNotifications, _ audience: AudiencePredicate?, beside input: RehearsalInput,
        after device: Int64, enough: Double, _ asked: PredicateConnection
    ) throws -> (recipients: [Recipient], known: Int64) {
        let chosen = input.recipients
        var range = (device + 1)...input.reached
        if !other.isRated {
            guard let first = chosen.first?.device, let last = chosen.last?.device else { return ([], input.reached) }
            range = first...last
        }
        let (found, reached) = try members(of: other, audience, range, among: chosen, enough: enough, asked)
        return (found, reached < range.upperBound ? reached : input.reached)
    }

    /// - Returns: the other campaign's recipients in a range of devices, and the last device for which they are known.
    private func members(
        of other: OtherNotifications, _ audience: AudiencePredicate?, _ range: ClosedRange<Int64>,
        among chosen: [Recipient], enough: Double, _ asked: PredicateConnection
    ) throws -> (recipients: [Recipient], reached: Int64) {
        guard let audience else {
            guard other.isRated else {
                // Read by their numbers, because very many other pending recipients may be between them.
                let found = try asked.connection.recipients.pending(
                    of: other.campaign, among: chosen.map(\.device), app: app.id, values: values
                )
                return (found, range.upperBound)
            }
            let found = try asked.connection.recipients.pending(
                of: Batch(campaign: other.campaign, number: range.lowerBound, devices: range), app: app.id,
                values: values, dueBy: .distantFuture, limit: Self.othersAtOnce
            )
            // Whether no recipient was left out because a limit was reached.
            let isWhole =
                found.count < Self.othersAtOnce
                && found.reduce(0) { $0 + $1.valueBytes } < RecipientRepository.maximumValueBytes
            let reached = isWhole ? nil : found.last?.device
            return (found, reached ?? range.upperBound)
        }
        guard !other.isRated else {
            return try asked.recipients(
                in: range, app: app.id, audience: audience, values: values, limit: Self.othersAtOnce, enough: enough
            )
        }
        let slice = try asked.slice(
            app: app.id, audience: audience, devices: range, limit: .max, enough: enough
        )
        let members = Set(slice.members.map(\.device))
        return (chosen.filter { members.contains($0.device) }, slice.reached)
    }

    private func crowded(
        _ center: MessageCenterName, of recipients: [Recipient], _ connection: any SQLConnection
    ) throws -> Set<Int64> {
        // Messages of known contacts are stored under the contact's number, all others under the device's.
        let holders = recipients.flatMap { recipient in
            [recipient.contact, MessageHolder.installation(recipient.device).number].compactMap(\.self)
        }
        let full = try connection.rehearsals.crowded(
            Array(Set(holders)), center: center, now: launch, limit: MessageCenterLimits.messagesPerCenter
        )
        let crowded = recipients.filter { recipient in
            full.contains(MessageHolder.installation(recipient.device).number)
                || recipient.contact.map(full.contains) ?? false
        }
        return Set(crowded.map(\.device))
    }

    /// The recorded events of recipients, device by device.
    private struct FoundEvents {
        var events: [Int64: [RecordedEvent]] = [:]
        /// The last device whose events were read; nil if all were.
        var known: Int64?
        /// Devices that have more events than are read.
        var busy: Set<Int64> = []
    }

    private func events(
        named name: String, of recipients: [Recipient], _ connection: any SQLConnection
    ) throws -> FoundEvents {
        let since = now.addingTimeInterval(-Self.recordedTime)
        var all = FoundEvents()
        var room = EventRoom(events: Self.maximumEvents, bytes: Self.maximumEventBytes)
        var rest = recipients[...]
        while !rest.isEmpty {
            let chosen = rest.prefix(Self.devicesWithEvents).map(\.device)
            rest = rest.dropFirst(Self.devicesWithEvents)
            let (found, next) = try recorded(name, of: chosen, since: since, &room, connection)
            for entry in found { all.events[entry.device, default: []].append(entry.event) }
            guard let last = next else { continue }
            // The last device's events are incomplete, so the next page begins with it. If it is the first of its page,
            // it has more events than fit.
            if let before = recipients.last(where: { $0.device < last })?.device {
                all.known = before
                all.events[last] = nil
            } else {
                all.known = last
                all.busy = [last]
            }
            break
        }
        return all
    }
}

/// How many more events, and bytes of events, a page may read.
private struct EventRoom {
    var events: Int
    var bytes: Int
}

extension RehearsalReading {
    /// - Returns: the first events, as many as there is room for, and the device of the first event without room; nil
    ///   if all events were read.
    private func recorded(
        _ name: String, of devices: [Int64], since: Date, _ room: inout EventRoom, _ connection: any SQLConnection
    ) throws -> (events: [(device: Int64, event: RecordedEvent)], next: Int64?) {
        let rehearsals = connection.rehearsals
        var fitting = room.events
        var found: [(device: Int64, event: RecordedEvent)] = []
        if readsAttributes {
            fitting =
                try rehearsals.eventCount(
                    named: name, of: devices, app: app.id, since: since, limit: room.events + 1,
                    maximumBytes: room.bytes
                ) ?? room.events
            for event in try rehearsals.events(
                named: name, of: devices, app: app.id, since: since, limit: fitting + 1
            ) {
                found.append((event.device, RecordedEvent(at: event.at, attributes: event.attributes)))
            }
        } else {
            for event in try rehearsals.eventMoments(
                named: name, of: devices, app: app.id, since: since, limit: fitting + 1
            ) {
                found.append((event.device, RecordedEvent(at: event.at, attributes: [:])))
            }
        }
        let kept = Array(found.prefix(fitting))
        room.events -= kept.count
        room.bytes -= kept.reduce(0) { $0 + $1.event.attributes.bytes }
        return (kept, found.count > fitting ? found[fitting].device : nil)
    }
}

extension RehearsalInput {
    /// The first devices of the input. The others are left to the next page.
    fileprivate func upTo(_ device: Int64) -> RehearsalInput {
        var input = self
        input.recipients = recipients.filter { $0.device <= device }
        input.reached = device
        return input
    }
}
