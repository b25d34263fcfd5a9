import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation

/// The reports about pushes, messages and app openings in the new events of one upload. They are collected while the
/// events are stored. A device that was offline may report the same few messages thousands of times, so each row is
/// read and written once, at the end (SEC-9).
struct UploadReports {
    /// What one event reports, and the contacts that may have got its message: the contact under which the event was
    /// tracked, and the contact into which that one was merged, if it was (ID-8). A device that has sent its key in a
    /// snapshot continues to use the reference of the former contact.
    private struct Report {
        let notes: EventNotes
        let contacts: [Int64]
        let at: Date
    }

    private let link: DeviceLink
    private var reports: [Report] = []
    /// The last app opening of each contact. The key nil stands for openings without a contact.
    private var openings: [Int64?: Date] = [:]

    init(of link: DeviceLink) {
        self.link = link
    }

    /// - Parameter owners: the event's present owner, and its former one.
    mutating func add(_ notes: EventNotes, of owners: [EventOwner], at: Date) {
        reports.append(Report(notes: notes, contacts: owners.compactMap { $0.contactID(of: link) }, at: at))
    }

    /// An opening alone causes no registration (REG-3), so the session event reports it.
    mutating func addOpening(by contact: Int64?, at: Date) {
        openings[contact] = max(openings[contact] ?? at, at)
    }

    /// Writes all reports.
    func join(_ connection: any SQLConnection, now: Date) throws {
        try joinOpenings(connection)
        guard !reports.isEmpty else { return }
        try joinCenters(connection)
        try joinTags(connection, now: now)
        try joinLedger(try joinInApp(connection), connection)
    }

    private func joinOpenings(_ connection: any SQLConnection) throws {
        guard let last = openings.values.max() else { return }
        try connection.devices.opened(link.id, app: link.app, at: last)
        for case (let contact?, let at) in openings.sorted(by: { $0.key ?? 0 < $1.key ?? 0 }) {
            try connection.contacts.opened(contact, at: at)
        }
    }
}

/// Messages of centers (ENG-4).
extension UploadReports {
    /// Counts the reports about messages. An id names a campaign and a contact, and can be computed without having the
    /// message. So a report counts only if the contact has the message, or the device is in the ledger.
    private func joinCenters(_ connection: any SQLConnection) throws {
        let own = reportsOfOwnMessages()
        guard !own.isEmpty else { return }
        let keeping = try connection.campaigns.keepingMessages(Array(Set(own.map(\.note.campaign))), app: link.app)
        var having: [Int64: Set<CampaignID>] = [:]
        for contact in Set(own.map(\.contact)) {
            having[contact] = try connection.centerMessages.campaigns(Array(keeping), of: contact)
        }
        // Messages that were made from data of an anonymous contact before it became a known one were removed (MC-15).
        let ledger = try connection.deviceDeliveries.campaigns(Array(keeping), of: link.id)
        var counts: [CampaignID: MessageCenterEngagementCount] = [:]
        for (note, contact, at) in own {
            let campaign = note.campaign
            guard keeping.contains(campaign), having[contact]?.contains(campaign) == true || ledger.contains(campaign)
            else { continue }
            counts[campaign, default: MessageCenterEngagementCount(of: campaign)].add(note.engagement, at: at)
        }
        try connection.centerEngagement.count(
            counts.sorted { $0.key.number < $1.key.number }.map(\.value), device: link.id
        )
    }

    /// Applies tags to the states of messages (MC-14), namely of messages of the contact under whom the event was
    /// tracked.
    private func joinTags(_ connection: any SQLConnection, now: Date) throws {
        struct Place: Hashable {
            let contact: Int64
            let campaign: CampaignID
        }
        var owners: [Int64: MessageOwner] = [:]
        func owns(_ contact: Int64, _ tag: InboxTagNote) -> Bool {
            let owner = owners[contact] ?? MessageOwner(contact: contact)
            owners[contact] = owner
            return owner.id(of: tag.campaign) == tag.message
        }
        var states: [Place: MessageState] = [:]
        for report in reports {
            let holders = report.contacts + [MessageHolder.installation(link.id).number]
            guard let tag = report.notes.tag, let contact = holders.first(where: { owns($0, tag) }) else { continue }
            let place = Place(contact: contact, campaign: tag.campaign)
            states[place] = (states[place] ?? .unread).joined(tag.state)
        }
        let places = states.keys.sorted { ($0.contact, $0.campaign.number) < ($1.contact, $1.campaign.number) }
        for place in places {
            guard let state = states[place] else { continue }
            _ = try connection.centerMessages.setState(
                state, contact: place.contact, campaign: place.campaign, at: now
            )
        }
    }

    /// The reports about messages of the contacts of their event. Whether an id belongs to a contact takes a digest, so
    /// it is computed once for all reports that name the id.
    private func reportsOfOwnMessages() -> [(note: MessageCenterNote, contact: Int64, at: Date)] {
        struct Claim: Hashable {
            let message: MessageID
            let contact: Int64
        }
        var claims: [Claim: Bool] = [:]
        func isRight(_ note: MessageCenterNote, _ contact: Int64) -> Bool {
            let claim = Claim(message: note.message, contact: contact)
            if let known = claims[claim] { return known }
            let isRight = note.message == .make(campaign: note.campaign, contact: contact)
            claims[claim] = isRight
            return isRight
        }
        return reports.compactMap { report in
            // Messages of the installation itself belong to every person who uses it (MC-15).
            let holders = report.contacts + [MessageHolder.installation(link.id).number]
            guard let note = report.notes.center, let contact = holders.first(where: { isRight(note, $0) })
            else { return nil }
            return (note, contact, report.at)
        }
    }
}

/// Pushes and in-app messages (LED-1, IAM-9).
extension UploadReports {
    /// Joins each report to a message that the device has downloaded for the person under whom the event was tracked,
    /// so a device that only knows a campaign's number is not counted. Returns the positions of the joined reports.
    private func joinInApp(_ connection: any SQLConnection) throws -> Set<Int> {
        let campaigns = Set(reports.compactMap(\.notes.inApp?.campaign))
        guard !campaigns.isEmpty else { return [] }
        let epochs = try connection.inAppCampaigns.displayEpochs(of: Array(campaigns), app: link.app)
        let contacts = Set(reports.lazy.filter { $0.notes.inApp != nil }.flatMap(\.contacts))
        let places = try connection.inAppDeviceStates.places(
            device: link.id, contacts: Array(contacts), campaigns: Array(epochs.keys)
        )
        var counts: [InAppDeviceStateKey: InAppCount] = [:]
        var joined: Set<Int> = []
        for (number, entry) in reports.enumerated() {
            guard let report = entry.notes.inApp, let epoch = epochs[report.campaign],
                let place = entry.contacts.lazy.map({
                    InAppDeviceStateKey(campaign: report.campaign, device: link.id, contact: $0)
                }).first(where: places.contains)
            else { continue }
            counts[place, default: InAppCount(at: place, epoch: epoch)].add(
                report.what, version: report.version, at: entry.at
            )
            joined.insert(number)
        }
        try connection.inAppDeviceStates.count(
            counts.sorted { ($0.key.campaign.number, $0.key.contact) < ($1.key.campaign.number, $1.key.contact) }
                .map(\.value)
        )
        return joined
    }

    /// Writes the first report of each push, and of each in-app message that was downloaded.
    private func joinLedger(_ inApp: Set<Int>, _ connection: any SQLConnection) throws {
        var facts: [Engagement: [CampaignID: Date]] = [:]
        for (number, entry) in reports.enumerated() {
            func note(_ fact: Engagement, _ campaign: CampaignID) {
                facts[fact, default: [:]][campaign] = facts[fact]?[campaign] ?? entry.at
            }
            if let push = entry.notes.push { note(push.engagement, push.campaign) }
            guard let report = entry.notes.inApp, inApp.contains(number), let fact = report.what.fact else {
                continue
            }
            note(fact, report.campaign)
        }
        for engagement in Engagement.allCases {
            guard let moments = facts[engagement] else { continue }
            try connection.deliveries.engage(engagement, device: link.id, at: moments)
        }
    }
}
