import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// What a rehearsal finds of each kind of campaign, and what a comparison says afterwards.
struct RehearsalKindsTests {
    private static func inApp(_ trigger: InAppTrigger) -> CampaignDraft {
        CampaignDraft(
            name: "Hint", kind: .inApp, audience: .everyone,
            inApp: InAppDraft(type: .modal, trigger: trigger, content: InAppContent(title: "Hello", body: "There"))
        )
    }

    @Test("CON-12: an in-app message is tried against the sessions of the last seven days")
    func recordedSessions() async throws {
        let world = try await ServiceWorld()
        let buyer = try await ServiceDevice.registered(world, 1)
        let looker = try await ServiceDevice.registered(world, 2)
        _ = try await ServiceDevice.registered(world, 3)
        try await world.makeFleet(4)
        let now = world.clock.now
        for (index, age) in [86_400.0, 3_600].enumerated() {
            try await buyer.track(
                .test("b\(index)", EventName("purchase"), kind: .custom, at: now.addingTimeInterval(-age))
            )
        }
        try await looker.track(.test("l1", EventName("purchase"), kind: .custom, at: now.addingTimeInterval(-3_600)))
        let id = try await world.draft(Self.inApp(InAppTrigger(event: "purchase", occurrence: 2)))
        let rehearsal = try await world.rehearse(id)
        #expect(rehearsal.words == ["accepted": 1, "accepted notTriggered": 2, "pending noContact": 1])
        // The week counts from the launch: what happened an hour ago happens in a week less an hour.
        let shown = try await world.rehearsals.people(in: rehearsal, RehearsedSelection(outcome: .accepted), limit: 5)
            .people
        #expect(try shown.map(\.device) == [ServiceWorld.client(1).rawValue])
        #expect(shown.map(\.at) == [now.addingTimeInterval(7 * 86_400 - 3_600)])
    }

    @Test("CON-12: for a later launch the recorded week counts from there, or from the moment at which it may show")
    func laterLaunch() async throws {
        let world = try await ServiceWorld()
        let buyer = try await ServiceDevice.registered(world, 1)
        let now = world.clock.now
        try await buyer.track(
            .test("b", EventName("purchase"), kind: .custom, at: now.addingTimeInterval(-2 * 86_400))
        )
        let launch = now.addingTimeInterval(10 * 86_400)
        func shown(from start: Date? = nil, to end: Date? = nil, delay: Int? = nil) async throws -> [Date] {
            var draft = Self.inApp(InAppTrigger(event: "purchase"))
            draft.schedule = CampaignSchedule(at: launch)
            draft.inApp?.startsAt = start
            draft.inApp?.endsAt = end
            draft.inApp?.delaySeconds = delay
            let rehearsal = try await world.rehearse(try await world.draft(draft))
            #expect(rehearsal.status == .done, "\(rehearsal.problem ?? "")")
            let selection = RehearsedSelection(outcome: .accepted)
            return try await world.rehearsals.people(in: rehearsal, selection, limit: 5).people.map(\.at)
        }
        // Five days after the week began.
        let date = launch.addingTimeInterval(5 * 86_400)
        #expect(try await shown() == [date])
        #expect(try await shown(from: launch.addingTimeInterval(3_600)) == [date.addingTimeInterval(3_600)])
        #expect(try await shown(from: launch.addingTimeInterval(9 * 86_400)) == [date.addingTimeInterval(9 * 86_400)])
        #expect(try await shown(to: launch.addingTimeInterval(86_400)).isEmpty)
        #expect(try await shown(to: date.addingTimeInterval(20)) == [date])
        #expect(try await shown(to: date.addingTimeInterval(20), delay: 30).isEmpty)
    }

    @Test("CON-12: one device's many events hide no other's, and it is said where there are more than are tried")
    func manyEvents() async throws {
        let world = try await ServiceWorld()
        let busy = try await ServiceDevice.registered(world, 1)
        let buyer = try await ServiceDevice.registered(world, 2)
        let now = world.clock.now
        try await Self.record(20_001, on: busy, value: "no", at: now.addingTimeInterval(-86_400))
        try await Self.record(1, on: buyer, value: "yes", at: now.addingTimeInterval(-3_600))
        let trigger = InAppTrigger(event: "purchase", filter: .attribute("k", .equal("yes")))
        let rehearsal = try await world.rehearse(try await world.draft(Self.inApp(trigger)))
        #expect(rehearsal.words == ["accepted": 1, "accepted notTriggered": 1])
        let warnings = try #require(rehearsal.figures?.warnings)
        #expect(warnings.count == 1 && warnings.first?.hasPrefix("1 device has more recorded events") == true)
    }

    private static func record(_ count: Int, on device: ServiceDevice, value: String, at date: Date) async throws {
        let row = try await device.row
        let (id, contact, app) = (row.id, row.contact, device.world.app.id)
        _ = try await device.world.database.write { connection in
            try connection.executeEach(
                """
                INSERT INTO events (device_id, event_id, app_id, contact_id, kind, name, at, received_at, attributes)
                VALUES (?, ?, ?, ?, 'custom', 'purchase', ?, ?, ?)
                """,
                (0..<count).map { number -> [SQLValue] in
                    [
                        .integer(id), .text("r\(number)"), .integer(app), .optional(contact), .date(date), .date(date),
                        .text(#"{"k":"\#(value)"}"#),
                    ]
                }
            )
        }
    }

    @Test("CON-12, MC-5: it says how many messages are placed, and where an older one goes out of sight")
    func messageCenter() async throws {
        let world = try await ServiceWorld()
        _ = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        for _ in 0..<MessageCenterLimits.messagesPerCenter {
            _ = try await world.launch(message: ServiceWorld.message)
            try await world.sendToTheEnd()
        }
        _ = try await ServiceDevice.registered(world, 2, key: "bert")
        let draft = CampaignDraft(
            name: "News", kind: .messageCenter, audience: .everyone, messageCenter: ServiceWorld.message
        )
        let figures = try #require(try await world.rehearse(try await world.draft(draft)).figures)
        #expect(figures.reached == 2 && figures.placed == 2 && figures.crowded == 1)
    }

    @Test("CON-12, CAMP-5: a cap counts what was sent and what is planned, at each recipient's own moment")
    func caps() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let cap = FrequencyCap(count: 1, within: try ISODuration("PT2H"))
        let first = try ServiceWorld.client(1).rawValue
        _ = try await world.launch(audience: .deviceIDs([first]))
        try await world.sendToTheEnd()
        let soon = world.clock.now.addingTimeInterval(3_600)
        let second = try ServiceWorld.client(2).rawValue
        _ = try await world.launch(audience: .deviceIDs([second]), schedule: CampaignSchedule(at: soon))
        func rehearsed(at date: Date?) async throws -> [String: Int] {
            let draft = ServiceWorld.draft(schedule: CampaignSchedule(at: date, frequencyCap: cap))
            return try await world.rehearse(try await world.draft(draft)).words
        }
        #expect(try await rehearsed(at: nil) == ["accepted": 2, "suppressed frequencyCap": 1])
        #expect(
            try await rehearsed(at: soon.addingTimeInterval(60)) == ["accepted": 1, "suppressed frequencyCap": 2]
        )
        // Two hours after the first message, which no longer counts; the planned one still does.
        #expect(
            try await rehearsed(at: soon.addingTimeInterval(3_700)) == ["accepted": 2, "suppressed frequencyCap": 1]
        )
        #expect(try await rehearsed(at: soon.addingTimeInterval(7_300)) == ["accepted": 3])
    }

    @Test("CON-12, CAMP-5: what is planned counts also where a page cannot afford to find out about all of its devices")
    func costlyCaps() async throws {
        let world = try await ServiceWorld(questions: ServiceWorld.strict)
        // Each takes a good part of what a page may cost.
        for client in try await world.makeFleet(6) { try await world.giveHistory(client, events: 40) }
        let soon = world.clock.now.addingTimeInterval(3_600)
        _ = try await world.launch(audience: ServiceWorld.endless(), schedule: CampaignSchedule(at: soon))
        let schedule = CampaignSchedule(
            at: soon.addingTimeInterval(60), frequencyCap: FrequencyCap(count: 1, within: try ISODuration("PT2H"))
        )
        let rehearsal = try await world.rehearse(try await world.draft(ServiceWorld.draft(schedule: schedule)))
        #expect(rehearsal.words == ["suppressed frequencyCap": 6])
    }

    @Test("CON-13: what differs after the launch is explained, device by device")
    func explained() async throws {
        let world = try await ServiceWorld()
        var devices: [ServiceDevice] = []
        for number in 1...5 {
            devices.append(
                try await ServiceDevice.registered(world, number, key: "k\(number)", token: "token\(number)"))
        }
        let audience = Condition.not(.contactKeys(["k5"]))
        let id = try await world.draft(ServiceWorld.draft(audience: audience))
        let rehearsal = try await world.rehearse(id)
        world.clock.advance(by: 60)
        world.transport.answer("token1", .unregistered(since: nil))
        try await devices[1].register { snapshot in
            snapshot.contactKey = "k2"
            snapshot.pushToken = "token2"
            snapshot.pushEnabled = false
        }
        _ = try await ServiceDevice.registered(world, 6, key: "k6", token: "token6")
        try await world.process()
        _ = try await world.campaigns.life.launch(id, app: world.app)
        try await world.sendToTheEnd()
        let comparison = try await world.rehearsals.comparison(rehearsal.id, of: id, app: world.app)
        #expect(comparison.equal == 2 && comparison.unexplained == 0)
        let causes = Dictionary(comparison.differences.map { ($0.cause, $0.devices) }) { $0 + $1 }
        #expect(
            try causes == [
                .pushService: [ServiceWorld.client(1).rawValue], .optedOut: [ServiceWorld.client(2).rawValue],
                .joinedAudience: [ServiceWorld.client(6).rawValue],
            ]
        )
    }

    @Test("CON-13: a comparison reads so many rows at once, whoever was rehearsed, and says the same", arguments: 1...4)
    func bounded(_ rows: Int) async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(9)
        let rehearsed = try [3, 7].map { try ServiceWorld.client($0).rawValue }
        let id = try await world.draft(ServiceWorld.draft(audience: .deviceIDs(rehearsed)))
        let rehearsal = try await world.rehearse(id)
        // Most of those that it went to were not rehearsed: they lie before, between and behind those that were.
        _ = try await world.campaigns.drafts.update(id, with: ServiceWorld.draft(), app: world.app)
        _ = try await world.campaigns.life.launch(id, app: world.app)
        try await world.sendToTheEnd()
        let counting = CountingDatabase(world.database)
        let service = RehearsalService(database: counting, environment: world.environment, work: AsyncSignal())
        let comparison = try await service.comparison(rehearsal.id, of: id, app: world.app, rows: rows)
        #expect(comparison.equal == 2 && comparison.differences.map(\.count) == [7])
        #expect(comparison.differences.map(\.cause) == [.otherDraft])
        #expect(counting.count > 9 / rows, "no connection is held longer than for one page")
    }

    @Test("CON-13: what took long is given again for a while, and is made anew when the campaign is over")
    func givenAgain() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let id = try await world.draft(ServiceWorld.draft())
        let rehearsal = try await world.rehearse(id)
        _ = try await world.campaigns.life.launch(id, app: world.app)
        while try await world.planner.planNext() {}
        // Each comparison takes five seconds of the world's time.
        let slow = InterruptedDatabase(world.database, after: "ComparisonSource", isRepeated: true) {
            world.clock.advance(by: 5)
        }
        let service = RehearsalService(database: slow, environment: world.environment, work: AsyncSignal())
        let first = try await service.comparison(rehearsal.id, of: id, app: world.app)
        #expect(first.different == 3 && !first.isFinal && first.madeAt == world.clock.now)
        world.clock.advance(by: 40)
        let again = try await service.comparison(rehearsal.id, of: id, app: world.app)
        #expect(again.madeAt == first.madeAt && again == first)
        world.clock.advance(by: 10)
        let later = try await service.comparison(rehearsal.id, of: id, app: world.app)
        #expect(later.madeAt != first.madeAt && later.different == 3)
        try await world.sendToTheEnd()
        let last = try await service.comparison(rehearsal.id, of: id, app: world.app)
        #expect(last.isFinal && last.equal == 3)
    }

    @Test("CON-12: what would refuse a launch is said, and a campaign that cannot be made is told why")
    func obstacles() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        let id = try await world.draft(ServiceWorld.draft(push: PushContent(title: "In {{city}}", body: "B")))
        #expect(try await world.rehearse(id).words == ["suppressed renderError": 1])
        _ = try await world.apps.removeAttribute("city", app: world.app)
        let broken = try await world.rehearse(id)
        #expect(broken.status == .failed && broken.problem?.contains("city") == true)
        let old = try await world.draft(
            ServiceWorld.draft(schedule: CampaignSchedule(expiresAt: world.clock.now.addingTimeInterval(60)))
        )
        world.clock.advance(by: 120)
        let late = try await world.rehearse(old)
        #expect(late.figures?.warnings == ["The campaign's expiry has passed."])
        #expect(late.words == ["suppressed expired": 1])
    }

    @Test("CON-12, CAMP-5: of an in-app message whose end has passed it is said that its launch would be refused")
    func endedMessage() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        let sentence = "The message's end has passed, so nobody would see it."
        for (end, isEnded) in [(0, true), (3_600, false)] as [(TimeInterval, Bool)] {
            var draft = Self.inApp(InAppTrigger(event: "purchase"))
            draft.inApp?.endsAt = world.clock.now.addingTimeInterval(end)
            let warnings = try await world.rehearse(try await world.draft(draft)).figures?.warnings ?? []
            #expect(warnings.contains(sentence) == isEnded, "\(warnings)")
        }
    }
}
