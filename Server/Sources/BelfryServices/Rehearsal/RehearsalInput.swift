import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// The next devices of an audience with all that decides about them, read in one view of the store.
struct RehearsalInput: Sendable {
    var recipients: [Recipient] = []
    /// When each of them got, or is to get, notifications of other campaigns; only where a frequency cap asks.
    var pushes: [Int64: [Date]] = [:]
    /// Of a silent campaign: the devices' budgets (PUSH-7).
    var silentPushes: [Int64: SilentPushState] = [:]
    /// Of an in-app campaign: the recorded events that may trigger it, the oldest first.
    var events: [Int64: [RecordedEvent]] = [:]
    /// Devices that have more events than are read.
    var busy: Set<Int64> = []
    /// Devices whose message center shows as many messages as it can (MC-5).
    var crowded: Set<Int64> = []
    /// The last device of which it is known.
    var reached: Int64
}

/// An event that a device has sent.
struct RecordedEvent: Hashable, Sendable {
    let at: Date
    let attributes: [String: AttributeValue]
}

/// How what a rehearsal decides about is read: page after page, by the numbers of devices, as the planner goes through an
/// audience.
struct RehearsalReading: Sendable {
    /// Days of recorded sessions against which in-app triggers are tried.
    static let recordedDays = 7
    /// The same in seconds.
    static let recordedTime = Double(recordedDays) * 86_400
    /// Devices of a page: little is held at once, and a process that is told to stop ends soon.
    static let devicesAtOnce = 250
    /// Campaigns that are planned and count against a cap, at most: the first to begin.
    static let maximumPlanned = 20
    /// Devices whose events are read at once, and events of them at most: of one device, no more are tried.
    private static let devicesWithEvents = 100
    static let maximumEvents = 20_000

    let campaign: CampaignID
    let app: AppRecord
    let audience: Condition
    let values: [RecipientValue]
    /// The moment of the rehearsed launch.
    let launch: Date
    /// The moment of the rehearsal.
    let now: Date
    let lastDevice: Int64
    let cap: FrequencyCap?
    let isSilent: Bool
    /// In which it keeps messages, if it does.
    let center: MessageCenterName?
    /// The name of the event that triggers an in-app message.
    let trigger: String?
    /// Those that send notifications before the rehearsed ones.
    let planned: [PlannedNotifications]

    func page(after device: Int64, _ asked: PredicateConnection) throws -> RehearsalInput {
        let end = min(lastDevice, device + CampaignPlanner.scanSize)
        guard device < end else { return RehearsalInput(reached: lastDevice) }
        let compiler = AudienceCompiler(connection: asked.connection, app: app.id)
        try compiler.check(audience)
        let (recipients, reached) = try asked.recipients(
            in: (device + 1)...end, app: app.id, audience: compiler.predicate(audience, now: launch), values: values,
            limit: Self.devicesAtOnce
        )
        var input = RehearsalInput(recipients: recipients, reached: reached)
        guard let first = recipients.first?.device, let last = recipients.last?.device else { return input }
        if let cap {
            let (pushes, known) = try pushes(to: recipients, first...last, cap, compiler, asked)
            // The rest, of which nothing is known for what a page may cost, is the next one's.
            if known < last { input = input.upTo(known) }
            input.pushes = pushes
        }
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

    /// - Returns: the pushes, and the last device of which it is known whether a planned one is for it: it takes long to
    ///   find out about a device with many events, and others may be left.
    private func pushes(
        to recipients: [Recipient], _ devices: ClosedRange<Int64>, _ cap: FrequencyCap, _ compiler: AudienceCompiler,
        _ asked: PredicateConnection
    ) throws -> (pushes: [Int64: [Date]], known: Int64) {
        var pushes = try asked.connection.deliveries.recentPushes(
            of: devices, app: app.id, since: cap.windowStart(now: min(launch, now)), now: now, except: campaign
        )
        var known = devices.upperBound
        for other in planned {
            let slice = try asked.slice(
                app: app.id, audience: compiler.predicate(other.audience, now: other.launch),
                devices: devices.lowerBound...known, limit: .max
            )
            known = slice.reached
            let chosen = Set(slice.members.map(\.device))
            for recipient in recipients where chosen.contains(recipient.device) {
                guard let date = other.date(for: recipient.timeZone, app: app) else { continue }
                pushes[recipient.device, default: []].append(date)
            }
        }
        return (pushes, known)
    }

    private func crowded(
        _ center: MessageCenterName, of recipients: [Recipient], _ connection: any SQLConnection
    ) throws -> Set<Int64> {
        // The messages of known contacts lie under their numbers, those of others under their devices'.
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
        /// The last device whose events are read; nil: all are.
        var known: Int64?
        /// Those that have more.
        var busy: Set<Int64> = []
    }

    private func events(
        named name: String, of recipients: [Recipient], _ connection: any SQLConnection
    ) throws -> FoundEvents {
        let since = now.addingTimeInterval(-Self.recordedTime)
        var all = FoundEvents()
        var rest = recipients[...]
        while !rest.isEmpty {
            let chosen = rest.prefix(Self.devicesWithEvents).map(\.device)
            rest = rest.dropFirst(Self.devicesWithEvents)
            let found = try connection.rehearsals.events(
                named: name, of: chosen, app: app.id, since: since, limit: Self.maximumEvents + 1
            )
            for event in found {
                all.events[event.device, default: []].append(
                    RecordedEvent(at: event.at, attributes: event.attributes)
                )
            }
            guard found.count > Self.maximumEvents, let last = found.last?.device else { continue }
            // Those of the last one are not all there, so the next page begins with it. Where it is the first of these,
            // it has more than fit.
            all.known = chosen.last { $0 < last } ?? last
            if all.known == last { all.busy = [last] }
            break
        }
        return all
    }
}

extension RehearsalInput {
    /// The first devices of it. The others are the next page's.
    fileprivate func upTo(_ device: Int64) -> RehearsalInput {
        var input = self
        input.recipients = recipients.filter { $0.device <= device }
        input.reached = device
        return input
    }
}

/// Another campaign that is scheduled, and sends notifications that count against a cap (CAMP-5).
struct PlannedNotifications: Sendable {
    let audience: Condition
    let schedule: CampaignSchedule
    /// When it begins.
    let launch: Date

    /// Those of an app that begin before a moment.
    static func all(
        app: AppRecord, before date: Date, except campaign: CampaignID, in connection: any SQLConnection
    ) throws -> [PlannedNotifications] {
        let ids = try connection.campaigns.notifyingLater(
            app: app.id, before: date, limit: RehearsalReading.maximumPlanned + 1
        )
        let compiler = AudienceCompiler(connection: connection, app: app.id)
        return try ids.filter { $0 != campaign.number }.prefix(RehearsalReading.maximumPlanned).compactMap { id in
            guard let found = CampaignID(id), let row = try? connection.campaigns.find(found),
                let launch = row.campaign.scheduledAt, try compiler.errors(of: row.campaign.draft.audience).isEmpty
            else { return nil }
            return PlannedNotifications(
                audience: row.campaign.draft.audience, schedule: row.campaign.draft.schedule ?? CampaignSchedule(),
                launch: launch
            )
        }
    }
}
