import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// What a rehearsal reads at once.
struct RehearsalReadingTests {
    private static func reading(
        in world: ServiceWorld, audience: Condition = .everyone, values: [RecipientValue] = [],
        trigger: String? = nil, others: [OtherNotifications] = []
    ) async throws -> RehearsalReading {
        let app = world.app
        let found = try await world.database.read { connection in try connection.audiences.devices(app: app.id) }
        let cap = FrequencyCap(count: 1, within: try ISODuration("P1D"))
        return RehearsalReading(
            campaign: try #require(CampaignID(999)), app: app, audience: audience, values: values,
            launch: world.clock.now, now: world.clock.now, lastDevice: try #require(found).upperBound,
            cap: trigger == nil ? cap : nil, isSilent: false, center: nil, trigger: trigger, others: others
        )
    }

    private static func page(
        of reading: RehearsalReading, after device: Int64 = 0, in world: ServiceWorld
    ) async throws -> RehearsalInput {
        try await world.database.ask(.rehearsing) { asked in try reading.page(after: device, asked) }
    }

    @Test("CON-13: what a campaign without a rate has left is read for the chosen devices alone, however many wait")
    func chosenAlone() async throws {
        let world = try await ServiceWorld()
        let clients = try await world.makeFleet(1_200)
        let other = OtherNotifications(
            campaign: try await world.launch(), recipients: .pending, launch: world.clock.now, cap: nil,
            isRated: false
        )
        while try await world.planner.planNext() {}
        let ends = Condition.deviceIDs([clients[0].rawValue, clients[1_199].rawValue])
        let reading = try await Self.reading(in: world, audience: ends, others: [other])
        let input = try await Self.page(of: reading, in: world)
        let (chosen, waiting) = (input.recipients.map(\.device), try #require(input.others.first).map(\.device))
        #expect(chosen.count == 2 && waiting == chosen)
        #expect(input.reached == reading.lastDevice, "no second page is needed")
    }

    @Test("CON-13: the events of a page are bounded, however many devices have them, and none of them is left out")
    func boundedEvents() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(120)
        let reading = try await Self.reading(in: world, trigger: "purchase")
        let everybody = try await Self.page(of: reading, in: world).recipients.map(\.device)
        let busy = [everybody[0], everybody[110]]
        let (app, date) = (world.app.id, world.clock.now.addingTimeInterval(-3_600))
        let count = RehearsalReading.maximumEvents * 3 / 5
        try await world.database.write { connection in
            for device in busy {
                try connection.executeEach(
                    """
                    INSERT INTO events (device_id, event_id, app_id, kind, name, at, received_at, attributes)
                    VALUES (?, ?, ?, 'custom', 'purchase', ?, ?, '{}')
                    """,
                    (0..<count).map { number -> [SQLValue] in
                        [.integer(device), .text("r\(number)"), .integer(app), .date(date), .date(date)]
                    }
                )
            }
        }
        var (reached, pages, found): (Int64, [Int], [Int64: Int]) = (0, [], [:])
        while reached < reading.lastDevice {
            let input = try await Self.page(of: reading, after: reached, in: world)
            reached = input.reached
            pages.append(input.events.values.map(\.count).reduce(0, +))
            found.merge(input.events.mapValues(\.count), uniquingKeysWith: +)
            #expect(input.busy.isEmpty)
        }
        #expect(pages == [count, count])
        #expect(found == [busy[0]: count, busy[1]: count])
    }

    @Test("CON-13: beside a campaign, with a rate or without, no page looks at more devices than it can use")
    func besideOthers() async throws {
        let world = try await ServiceWorld()
        let clients = try await world.makeFleet(RehearsalReading.scannedBesideOthers + 100)
        let ends = Condition.deviceIDs([clients[0], clients[clients.count - 1]].map(\.rawValue))
        func page(_ others: [OtherNotifications], after device: Int64 = 0) async throws -> (RehearsalInput, Int64) {
            let reading = try await Self.reading(in: world, audience: ends, others: others)
            return (try await Self.page(of: reading, after: device, in: world), reading.lastDevice)
        }
        let (plain, last) = try await page([])
        #expect(plain.recipients.count == 2 && plain.reached == last)
        for isRated in [true, false] {
            let other = OtherNotifications(
                campaign: try #require(CampaignID(998)), recipients: .audience(ends), launch: world.clock.now,
                cap: nil, isRated: isRated
            )
            let (first, _) = try await page([other])
            #expect(first.recipients.count == 1 && first.others.map(\.count) == [1] && first.reached < last)
            let (next, _) = try await page([other], after: first.reached)
            #expect(next.recipients.count == 1 && next.others.map(\.count) == [1] && next.reached == last)
        }
    }

    @Test(
        "CON-13: of two campaigns whose audiences ask for events, the first leaves the second its share of a page",
        arguments: [true, false])
    func sharedBudget(_ isRated: Bool) async throws {
        var limits = ServiceWorld.strict
        // Counted work: some pages' worth, and not one device's. PostgreSQL counts time, which a busy machine stretches:
        // there it is asked for nobody being left out.
        limits.planningBudget = Engine.ofThisRun == .sqlite ? 2_000 : 60_000_000_000
        let world = try await ServiceWorld(questions: limits)
        let clients = try await world.makeFleet(120)
        for client in clients { try await world.giveHistory(client, events: 12) }
        let others = try (0..<2).map { number in
            OtherNotifications(
                campaign: try #require(CampaignID(997 + Int64(number))),
                recipients: .audience(ServiceWorld.endless(number)), launch: world.clock.now, cap: nil,
                isRated: isRated
            )
        }
        let reading = try await Self.reading(in: world, others: others)
        var (reached, pages, found): (Int64, Int, [Int64]) = (0, 0, [])
        while reached < reading.lastDevice {
            let input = try await Self.page(of: reading, after: reached, in: world)
            #expect(input.reached > reached)
            (reached, pages) = (input.reached, pages + 1)
            let devices = input.recipients.map(\.device)
            #expect(input.others.map { other in other.map(\.device) } == [devices, devices])
            found += devices
        }
        #expect(found.count == 120 && Set(found).count == 120)
        #expect(pages <= 40, "not a page for each device")
    }

    @Test(
        "CON-13: the push of a content that says the same to all is made once, and any other for each",
        arguments: [true, false])
    func madeOnce(_ isSame: Bool) async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(40)
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        let push = PushContent(title: isSame ? "Sale" : "Sale in {{city}}", body: "Only today")
        let id = try await world.draft(ServiceWorld.draft(push: push))
        let source = try await world.database.read { connection in
            try BatchSource(of: try #require(try connection.campaigns.find(id)), in: connection)
        }
        let load = try BatchContext(compiling: source)
        let reading = try await Self.reading(in: world, values: load.templates.values)
        let page = try await Self.page(of: reading, in: world)
        #expect(page.recipients.count == 40)
        var rounds = RehearsedRounds(
            load, accounts: world.accounts.rehearsed(for: load).accounts, tagKey: world.keys.recipientMark
        )
        for _ in 1...2 {
            let accepted = rounds.play(page).count { delivery in delivery.outcome == .accepted }
            #expect(accepted == (isSame ? 40 : 0))
        }
        // Their tokens have two lengths.
        #expect(rounds.requests.built == (isSame ? 2 : 80))
    }

    /// A campaign that only some can get: its German text is too long for a push, and so is the long channel of
    /// a v3 client.
    private static func partlyTooLong(in world: ServiceWorld) async throws -> BatchContext {
        try await world.apps.putFCMCredentials(TestKeys.fcm(), app: world.app)
        let clients = try await world.makeFleet(40)
        let (app, now) = (world.app.id, world.clock.now)
        let source = try await world.database.write { connection in
            for (index, client) in clients.enumerated() {
                let (isFCM, isTooLong) = (index % 4 < 2, index % 2 == 1)
                try connection.execute(
                    """
                    UPDATE devices SET push_provider = ?, v3_version = ?, v3_channel = ?, locale = ?
                    WHERE app_id = ? AND client_id = ?
                    """,
                    [
                        .text(isFCM ? PushProvider.fcm.rawValue : PushProvider.apns.rawValue),
                        .optional(isFCM ? "3.7.4" : nil),
                        .optional(isFCM ? String(repeating: "c", count: isTooLong ? 4_200 : 5) : nil),
                        .text(!isFCM && isTooLong ? "de" : "en"), .integer(app), .text(client.rawValue),
                    ]
                )
            }
            // Whoever saves a draft is told of its longest text, so that it comes here another way.
            let push = PushContent(
                title: "Sale", body: String(repeating: "b", count: 300),
                variants: ["de": PushVariant(body: String(repeating: "b", count: 5_000))]
            )
            let id = try connection.campaigns.insert(ServiceWorld.draft(push: push), app: app, now: now)
            return try BatchSource(of: try #require(try connection.campaigns.find(id)), in: connection)
        }
        return try BatchContext(compiling: source)
    }

    @Test("CON-13: a push that cannot be made is refused to all of its kind and to no others, as if each were made")
    func sameFlaws() async throws {
        let world = try await ServiceWorld()
        let load = try await Self.partlyTooLong(in: world)
        let page = try await Self.page(of: try await Self.reading(in: world, values: load.templates.values), in: world)
        let accounts = world.accounts.rehearsed(for: load).accounts
        func rounds() -> RehearsedRounds {
            RehearsedRounds(load, accounts: accounts, tagKey: world.keys.recipientMark)
        }
        var together = rounds()
        let found = together.play(page).map(\.outcome)
        let each = page.recipients.flatMap { recipient -> [RehearsedOutcome] in
            var alone = rounds()
            let outcomes = alone.play(RehearsalInput(recipients: [recipient], reached: recipient.device)).map(\.outcome)
            #expect(alone.requests.built == 1)
            return outcomes
        }
        #expect(found == each)
        let rejected = RehearsedOutcome(state: .rejected, reason: .payloadTooLarge)
        let expected = (0..<40).map { number in number % 2 == 1 ? rejected : RehearsedOutcome.accepted }
        #expect(found == expected)
        // Four kinds, whose tokens have two lengths.
        #expect(together.requests.built == 8)
    }

    @Test("SEC-2, CON-13: the events of a page are bounded in bytes, too, and none of them is left out")
    func boundedEventBytes() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(120)
        var reading = try await Self.reading(in: world, trigger: "purchase")
        let everybody = try await Self.page(of: reading, in: world).recipients.map(\.device)
        let busy = [everybody[0], everybody[110]]
        let (app, date) = (world.app.id, world.clock.now.addingTimeInterval(-3_600))
        let attributes = #"{"text":"\#(String(repeating: "a", count: 60_000))"}"#
        let count = RehearsalReading.maximumEventBytes * 3 / 5 / attributes.utf8.count
        try await world.database.write { connection in
            for device in busy {
                try connection.executeEach(
                    """
                    INSERT INTO events (device_id, event_id, app_id, kind, name, at, received_at, attributes)
                    VALUES (?, ?, ?, 'custom', 'purchase', ?, ?, ?)
                    """,
                    (0..<count).map { number -> [SQLValue] in
                        [
                            .integer(device), .text("r\(number)"), .integer(app), .date(date), .date(date),
                            .text(attributes),
                        ]
                    }
                )
            }
        }
        // Without a look at the attributes there is nothing to bound.
        for (readsAttributes, expected) in [(true, [count, count]), (false, [2 * count])] {
            reading.readsAttributes = readsAttributes
            var (reached, pages): (Int64, [Int]) = (0, [])
            while reached < reading.lastDevice {
                let input = try await Self.page(of: reading, after: reached, in: world)
                reached = input.reached
                pages.append(input.events.values.map(\.count).reduce(0, +))
                #expect(input.busy.isEmpty)
            }
            #expect(pages == expected)
        }
    }
}
