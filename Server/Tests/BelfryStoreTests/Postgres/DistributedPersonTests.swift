import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

/// FLEET-5: on a distributed database the rows of devices and the contacts that they name are asked for in turn, where one
/// server joins them. The stand-in shows that both find the same, and remove the same.
struct DistributedPersonTests {
    private static let contacts: ClosedRange<Int64> = 1...9
    private static let devices: ClosedRange<Int64> = 1...6
    private static let campaigns: ClosedRange<Int64> = 1...4
    /// More events than are looked through at once.
    private static let events = 2 * PersonRepository.eventsAtOnce

    // MARK: A history

    /// A fresh database with a history that a seed decides, and whoever enters it: one that stands for a distributed one,
    /// or an ordinary one.
    private struct Stage {
        let store: TestStore
        let entered: OpenTestStore
        /// Contacts that nobody needs any more, and those that only one thing still holds.
        let stranded: [Int64]

        init(seed: UInt64, isDistributed: Bool, statements: StatementLog? = StatementLog.ofThisRun) async throws {
            store = try await TestStore.withApps(.postgres, isRecycled: false)
            stranded = try await store.write { connection in
                try DistributedPersonTests.fill(connection, seed: seed)
                return try DistributedPersonTests.strand(connection)
            }
            if isDistributed {
                try await store.write { try CitusStandIn.install($0) }
                _ = try CitusStandIn.setUp(store, copyingRows: true)
            }
            entered = try Engine.postgres.open(at: store.place, statements: statements)
        }
    }

    private static func fill(_ connection: any SQLConnection, seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        for number in contacts {
            _ = try connection.contacts.findOrInsert(
                app: 1, key: "k\(number)", known: Bool.random(using: &dice), now: seconds(Double(number))
            )
        }
        // The last of them went into the first ones.
        for number in contacts.dropFirst(5) {
            try connection.execute(
                "UPDATE contacts SET merged_into = ? WHERE id = ?",
                [.integer(Int64.random(in: 1...3, using: &dice)), .integer(number)]
            )
        }
        try connection.makeDevices(devices.count, app: 1)
        for number in devices.dropLast() {
            try connection.execute(
                "UPDATE devices SET contact_id = ? WHERE id = ?",
                [.integer(Int64.random(in: 1...4, using: &dice)), .integer(number)]
            )
        }
        try connection.messageCenters.save(MessageCenter(name: .primary, label: "News"), app: 1, now: storeEpoch)
        for _ in campaigns { _ = try connection.makeCampaign(app: 1) }
        try connection.execute("UPDATE campaigns SET kind = 'messageCenter' WHERE id < 3")
        try fillRows(connection, &dice)
    }

    private static func fillRows(_ connection: any SQLConnection, _ dice: inout SeededGenerator) throws {
        func contact() -> SQLValue { .integer(Int64.random(in: contacts, using: &dice)) }
        for number in 0..<events {
            let device = number % 3 == 0 ? Int64.random(in: devices, using: &dice) : 1
            let isNobodys = Int.random(in: 0..<6, using: &dice) == 0
            try connection.executeLater(
                """
                INSERT INTO events (device_id, event_id, app_id, contact_id, kind, name, at, received_at, attributes)
                VALUES (?, ?, 1, ?, 'custom', 'purchase', ?, ?, '{}')
                """,
                [
                    .integer(device), .text("e\(number)"), isNobodys ? .null : contact(),
                    .integer(Int64(number % 50)), .integer(100),
                ]
            )
        }
        for device in devices {
            try connection.execute(
                "INSERT INTO former_devices (app_id, contact_id, device_id) VALUES (1, ?, ?) ON CONFLICT DO NOTHING",
                [contact(), .integer(device)]
            )
            for at in 1...4 as ClosedRange<Int64> {
                try connection.execute(
                    """
                    INSERT INTO contact_links (device_id, at, contact_id, began, cause) VALUES (?, ?, ?, ?, 'link')
                    """,
                    [.integer(device), .integer(at * 10), contact(), .flag(Bool.random(using: &dice))]
                )
                try connection.execute(
                    """
                    INSERT INTO registrations (device_id, registration_id, revision, snapshot, status, rejected,
                        request_order, received_at) VALUES (?, ?, ?, '{}', 'processed', '[]', 0, ?)
                    """,
                    [.integer(device), .text("r\(device)-\(at)"), .integer(at), .integer(at * 10 - 5)]
                )
            }
            for campaign in campaigns {
                try connection.execute(
                    """
                    INSERT INTO deliveries (campaign_id, device_id, contact_id, state, attempts, updated_at, opened_at,
                        placed) VALUES (?, ?, ?, 'accepted', 1, ?, 70, ?)
                    """,
                    [.integer(campaign), .integer(device), contact(), .integer(campaign), contact()]
                )
                let copy: [SQLValue] = [.integer(campaign), .integer(device), contact()]
                try connection.execute(
                    """
                    INSERT INTO in_app_copies (campaign_id, device_id, contact_id, version, downloaded_at, epoch, shown,
                        displays, clicks, dismissals, screen_time) VALUES (?, ?, ?, 1, 5, 1, 0, 0, 0, 0, 0)
                    """,
                    copy
                )
                try connection.execute(
                    "INSERT INTO in_app_clicks (campaign_id, device_id, contact_id, button_id, clicks) VALUES (?, ?, ?, 'b', 2)",
                    copy
                )
            }
            try connection.execute(
                """
                INSERT INTO center_messages (contact_id, center, sent_at, campaign_id, app_id, variant, state, made_from)
                VALUES (?, 'primary', 1, 1, 1, '', 'unread', ?)
                """,
                [.integer(-device), contact()]
            )
        }
    }

    // MARK: What is asked

    private struct Answers: Hashable, Sendable {
        var events: [EventRow] = []
        var deliveries: [DeliveryRow] = []
        var registrations: [RegistrationRow] = []
        var inApp: [InAppDeviceStateRow] = []
        var clicks: [[InAppDeviceStateKey: [String: Int]]] = []
        var timeline: [TimelineEvent] = []
        var registered: [TimelineRegistration] = []
        var ledger: [TimelineMoment<LedgerMoment>] = []
        var shown: [TimelineMoment<InAppMoment>] = []
        var ties: [ContactTies?] = []
    }

    private static func ask(_ connection: any SQLConnection, of contact: Int64) throws -> Answers {
        var answers = Answers()
        let people = connection.people
        for device in devices {
            var start = ""
            while true {
                let page = try people.events(
                    of: device, person: contact, withNobodys: device == 1, after: start, limit: 90,
                    maximumBytes: 1 << 20
                )
                answers.events += page.events
                guard page.isCut, let last = page.events.last else { break }
                start = last.eventID
            }
            answers.deliveries += try people.deliveries(
                of: device, person: contact, app: 1, before: .max, limit: 9)
            answers.registrations += try people.registrations(
                of: device, person: contact, withUnknown: device == 2, after: (revision: 0, id: 0), limit: 9
            )
            answers.inApp += try people.inAppMessages(
                of: device, person: contact, after: (campaign: 0, contact: 0), limit: 9
            )
            let words = try people.inAppWords(
                of: device, person: contact, campaigns: campaigns.compactMap { CampaignID($0) }
            )
            answers.clicks.append(words.clicks)
        }
        let scope = TimelineScope(
            app: 1, contact: contact, present: [1, 2], former: [3, 4, 5], sole: [2], holders: [contact]
        )
        let end = TimelinePosition(at: .max)
        let timelines = connection.timelines
        answers.timeline = try timelines.events(of: scope, before: end, limit: 700, maximumBytes: 1 << 20).events
        answers.registered = try timelines.registrations(of: scope, before: end, limit: 20)
        answers.ledger = try timelines.ledger(of: scope, LedgerMoment.allCases, before: end, limit: 50)
        answers.shown = try timelines.inAppMessages(of: scope, before: end, limit: 50)
        answers.ties = [try connection.orphanedContacts.ties(of: contact)]
        return answers
    }

    @Test(
        "FLEET-5, ADM-4, CON-9, REG-24: what belongs to a person is the same, whoever was merged into whom",
        arguments: Endurance.seeds(8, brief: 2)
    )
    func sameHistory(seed: UInt64) async throws {
        let whole = try await Stage(seed: seed, isDistributed: false)
        let parted = try await Stage(seed: seed, isDistributed: true)
        defer {
            try? whole.entered.close()
            try? parted.entered.close()
        }
        var found = 0
        for contact in Self.contacts {
            let expected = try await whole.entered.database.read { try Self.ask($0, of: contact) }
            let answers = try await parted.entered.database.read { try Self.ask($0, of: contact) }
            #expect(answers == expected, "\(contact)")
            found += expected.events.count + expected.timeline.count
        }
        #expect(found > Self.events)
    }

    // MARK: What goes

    /// The rows that are left of some tables, and what was said to have gone.
    private static func erase(_ contact: Int64, in database: any SQLDatabase) async throws -> [String] {
        try await database.write { connection in
            let devices = Array(Self.devices)
            let forgotten = try connection.deviceDeliveries.forget(person: contact, devices: devices, app: 1)
            try connection.inAppDeviceStates.erase(devices: devices, person: contact)
            try connection.centerMessages.erase(madeFromPerson: contact, devices: devices)
            let left = try [
                "SELECT 'l' || concat_ws(' ', campaign_id, device_id, contact_id, placed) FROM deliveries",
                "SELECT 'i' || concat_ws(' ', campaign_id, device_id, contact_id) FROM in_app_copies",
                "SELECT 'c' || concat_ws(' ', campaign_id, device_id, contact_id) FROM in_app_clicks",
                "SELECT 'm' || concat_ws(' ', contact_id, made_from) FROM center_messages",
            ].flatMap { sql in try connection.query(SQLText(ofTest: sql), []) { $0.text(0) } }
            return ["\(forgotten)"] + left.sorted()
        }
    }

    @Test("FLEET-5, REG-36: an erasure removes the same rows", arguments: Endurance.seeds(8, brief: 2))
    func sameErasure(seed: UInt64) async throws {
        let whole = try await Stage(seed: seed, isDistributed: false)
        let parted = try await Stage(seed: seed, isDistributed: true)
        defer {
            try? whole.entered.close()
            try? parted.entered.close()
        }
        var left: Set<[String]> = []
        for contact in 1...3 as ClosedRange<Int64> {
            let expected = try await Self.erase(contact, in: whole.entered.database)
            let found = try await Self.erase(contact, in: parted.entered.database)
            #expect(found == expected)
            left.insert(Array(expected.dropFirst()))
        }
        #expect(left.count == 3)
    }

    // MARK: Devices with their contacts, and contacts alone

    private struct Looks: Hashable, Sendable {
        let stamps: [InAppSyncVersion?]
        let views: [MessageCenterView?]
        let recipients: [String]
        let centers: [String]
        let orphans: [Int64]
        let empty: [Int64]
    }

    private static func look(_ connection: any SQLConnection) throws -> Looks {
        let numbers = Array(devices) + [99]
        let values: [RecipientValue] = [.device(.locale), .contactKey, .party(.number)]
        let alone = try numbers.compactMap { try connection.recipients.find($0, app: 1, values: values) }
        let first = try campaign(1)
        let pending = try connection.recipients.pending(of: first, among: numbers, app: 1, values: values)
        let batch = Batch(campaign: first, number: 1, devices: 1...50)
        let due = try connection.recipients.pending(of: batch, app: 1, values: values, dueBy: .distantFuture)
        let placing = try connection.placingCampaigns.list(app: 1, before: nil, limit: 9)
        return Looks(
            stamps: try connection.inAppSyncVersions.find(devices: numbers),
            views: try connection.messageCenters.views(numbers.map { (device: $0, center: MessageCenterName.primary) }),
            recipients: (alone + pending + due).map { "\($0.device) \($0.contact ?? 0) \($0.values)" },
            centers: placing.map { "\($0.campaign.id) \($0.center?.rawValue ?? "")" },
            orphans: try connection.orphanedContacts.list(app: 1, before: nil, limit: 9).contacts.map(\.id),
            empty: try connection.orphanedContacts.empty(1...50, before: .distantFuture).map(\.id).sorted()
        )
    }

    /// The first of them nobody needs any more.
    private static func strand(_ connection: any SQLConnection) throws -> [Int64] {
        let ids = try (0..<6).map { number in
            try connection.contacts.findOrInsert(app: 1, key: "anonymous:\(number)", known: false, now: storeEpoch)
        }
        for id in ids { try connection.formerDevices.insert(6, of: id, app: 1) }
        try connection.contactTags.replace(of: 6, on: ids[1], with: [try Tag("a")], now: storeEpoch)
        try connection.execute("UPDATE deliveries SET contact_id = ? WHERE device_id = 6", [.integer(ids[2])])
        try connection.execute("UPDATE in_app_copies SET contact_id = ? WHERE device_id = 6", [.integer(ids[3])])
        try connection.execute("UPDATE events SET contact_id = ? WHERE device_id = 6", [.integer(ids[4])])
        try connection.execute("UPDATE devices SET contact_id = ? WHERE id = 5", [.integer(ids[5])])
        try connection.execute("UPDATE deliveries SET state = 'pending' WHERE campaign_id = 1")
        return ids
    }

    private static func looks(of stage: Stage) async throws -> (looks: Looks, isGone: [Bool]) {
        let ids = stage.stranded
        let looks = try await stage.entered.database.read { try Self.look($0) }
        let isGone = try await stage.entered.database.write { connection in
            try ids.map { try connection.orphanedContacts.deleteIfEmpty($0, app: 1) }
        }
        return (looks: looks, isGone: isGone)
    }

    @Test(
        "FLEET-5, REG-24: a device with its contact, and who is needed no more, are the same in turn",
        arguments: Endurance.seeds(8, brief: 2)
    )
    func sameLooks(seed: UInt64) async throws {
        let whole = try await Stage(seed: seed, isDistributed: false)
        let parted = try await Stage(seed: seed, isDistributed: true)
        defer {
            try? whole.entered.close()
            try? parted.entered.close()
        }
        let expected = try await Self.looks(of: whole)
        let found = try await Self.looks(of: parted)
        #expect(found.looks == expected.looks)
        #expect(found.isGone == expected.isGone && expected.isGone == [true, false, false, false, false, false])
        let empty = whole.stranded.filter { expected.looks.empty.contains($0) }
        #expect(whole.stranded == parted.stranded && empty == Array(whole.stranded.prefix(1)))
        #expect(expected.looks.orphans.count > 1)
    }

    @Test("FLEET-5: one server joins devices with their contacts as before, and a distributed database never")
    func plain() async throws {
        let (before, after) = (StatementLog(), StatementLog())
        let whole = try await Stage(seed: 1, isDistributed: false, statements: before)
        let parted = try await Stage(seed: 1, isDistributed: true, statements: after)
        defer {
            try? whole.entered.close()
            try? parted.entered.close()
        }
        for stage in [whole, parted] {
            _ = try await Self.looks(of: stage)
            _ = try await stage.entered.database.read { try Self.ask($0, of: 1) }
            _ = try await Self.erase(1, in: stage.entered.database)
        }
        let joins = ["LEFT JOIN contacts c ON c.id = d.contact_id", "FROM contacts o", "d.contact_id = c.id"]
        for join in joins {
            let isAsked = before.statements.contains { $0.contains(join) }
            let isAskedInTurn = after.statements.contains { $0.contains(join) }
            #expect(isAsked && !isAskedInTurn, "\(join)")
        }
        let stamp = InAppSyncVersionRepository.query.arraysSQL.statement
        let isStampWhole = before.statements.contains(stamp)
        #expect(isStampWhole)
        let byNumber = after.statements.filter { $0 == "SELECT known, updated_at FROM contacts WHERE id = ?" }
        #expect(byNumber.count == 1)
    }
}
