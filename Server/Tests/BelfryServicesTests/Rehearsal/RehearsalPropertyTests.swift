import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

struct RehearsalPropertyTests {
    @Test(
        "CON-13, LED-4: whatever the campaign and its audience, each device ends as rehearsed, at the moment foretold",
        arguments: Endurance.seeds(300, brief: 24)
    )
    func equal(seed: UInt64) async throws {
        var life = try await RehearsedLife(seed: seed)
        let (id, draft) = try await life.compose()
        let world = life.world
        let rehearsal = try await world.rehearse(id)
        #expect(rehearsal.status == .done, "seed \(seed): \(rehearsal.problem ?? "")")
        let foretold = try await world.rehearsals.people(in: rehearsal, limit: 1_000).people
        try await world.expectPeople(behind: rehearsal, "seed \(seed)")
        _ = try await world.campaigns.life.launch(id, app: world.app)
        try await world.sendToTheEnd()
        let comparison = try await world.rehearsals.comparison(rehearsal.id, of: id, app: world.app)
        #expect(comparison.different == 0, "seed \(seed): \(comparison.differences), \(draft)")
        #expect(comparison.equal == rehearsal.audience && comparison.isFinal, "seed \(seed)")
        #expect(comparison.lines.allSatisfy { $0.rehearsed == $0.came }, "seed \(seed)")
        let ends = try await world.ends(of: id)
        for person in foretold where person.outcome == .accepted {
            let end = try #require(ends[person.number], "seed \(seed)")
            #expect(abs(end.timeIntervalSince(person.at)) < 1.001, "seed \(seed), \(person), \(end), \(draft)")
        }
    }

    @Test("CON-13: the property is not empty: its campaigns end in many ways")
    func diverse() async throws {
        let expected: Set = [
            "accepted", "suppressed noToken", "suppressed noCredentials", "suppressed optedOut:user",
            "suppressed renderError", "suppressed quietHours", "suppressed frequencyCap", "rejected payloadTooLarge",
            "suppressed expired",
        ]
        var words: Set<String> = []
        for seed in UInt64(1)...24 where !words.isSuperset(of: expected) {
            var life = try await RehearsedLife(seed: seed)
            words.formUnion(try await life.world.rehearse(life.compose().id).words.keys)
        }
        #expect(words.isSuperset(of: expected), "\(expected.subtracting(words)) is not among \(words)")
    }
}

/// A shop with people of all kinds, what they got before, and a campaign by the dice.
private struct RehearsedLife {
    private static let zones: [String?] = [
        nil, "Europe/Paris", "America/New_York", "Asia/Kathmandu", "Pacific/Kiritimati", "-03:00", "nonsense",
    ]

    let world: ServiceWorld
    private var dice: SeededGenerator
    /// Of the other campaigns: the rehearsed one is the same whatever they are.
    private var plans: SeededGenerator

    init(seed: UInt64) async throws {
        dice = SeededGenerator(seed: seed)
        plans = SeededGenerator(seed: seed &+ 1_000_000)
        world = try await ServiceWorld()
        try await world.apps.defineAttribute("firstName", type: .string, app: world.app)
        for number in 1...Int.random(in: 8...20, using: &dice) { try await settle(number) }
        try await leave(Int.random(in: 0...3, using: &dice))
        world.clock.advance(by: Double.random(in: 0...86_400, using: &dice).rounded())
    }

    private mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &dice) == 0 }

    private mutating func settle(_ number: Int) async throws {
        var device = try await ServiceDevice.started(world, number)
        let (hasToken, isOn, isAllowed, isOfFCM) = (!chance(6), !chance(6), !chance(8), chance(8))
        let (zone, locale) = (Self.zones.randomElement(using: &dice) ?? nil, chance(3) ? "fr_FR" : "en_GB")
        let name: String? = chance(4) ? nil : String(repeating: "é", count: chance(5) ? 2_000 : 3)
        try await device.register { snapshot in
            snapshot.pushToken = hasToken ? "token\(number)" : nil
            snapshot.pushEnabled = isOn
            snapshot.osPushEnabled = isAllowed
            if isOfFCM { snapshot.pushProvider = .fcm }
            snapshot.timeZone = zone
            snapshot.locale = locale
            if let name { snapshot.attributes = ["firstName": .string(name)] }
        }
        try await world.process()
    }

    /// Some who have registered a token and nothing else: nobody is known on them.
    private mutating func leave(_ count: Int) async throws {
        guard count > 0 else { return }
        let (app, now) = (world.app.id, world.clock.now)
        let devices = try (101...(100 + count)).map { number in
            WrittenDevice(
                client: try ServiceWorld.client(number).rawValue, token: "token\(number)", environment: .production
            )
        }
        try await world.database.write { try $0.write(devices, app: app, now: now) }
    }

    /// A campaign after others, some of which are still to come.
    mutating func compose() async throws -> (id: CampaignID, draft: CampaignDraft) {
        if chance(2) { try await sendEarlier() }
        let draft = try makeDraft()
        for number in 0..<Int.random(in: 0...3, using: &plans) {
            let other = try await world.draft(try planned(number))
            _ = try await world.campaigns.life.launch(other, app: world.app)
        }
        return (try await world.draft(draft), draft)
    }

    /// A campaign that begins before the rehearsed one leaves, for some. No two leave at the same moment for anybody: that
    /// would not say which of them comes first.
    private mutating func planned(_ number: Int) throws -> CampaignDraft {
        func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &plans) == 0 }
        var schedule = CampaignSchedule(at: world.clock.now.addingTimeInterval(Double(200 + 300 * number)))
        if chance(2) {
            let within = try ISODuration(["PT1H", "P1D"].randomElement(using: &plans) ?? "P1D")
            schedule.frequencyCap = FrequencyCap(count: Int.random(in: 1...2, using: &plans), within: within)
        }
        if chance(2) { schedule.ratePerSecond = Int.random(in: 1...3, using: &plans) }
        if chance(3) {
            let hours = [("21:00", "07:\(11 + 2 * number)"), ("05:00", "17:\(11 + 2 * number)")]
            let chosen = hours.randomElement(using: &plans) ?? hours[0]
            schedule.quietHours = QuietHours(
                from: try #require(TimeOfDay(chosen.0)), to: try #require(TimeOfDay(chosen.1)),
                then: chance(2) ? .suppress : .delay
            )
        }
        let title = chance(2) ? "Hello {{firstName}}" : "Hello"
        var draft = CampaignDraft(
            name: "Planned", kind: chance(4) ? .pushAndMessageCenter : .push,
            audience: chance(3) ? .not(.attribute("firstName", .equal(.string("ééé")))) : .everyone,
            push: PushContent(title: title, body: "Only today"), schedule: schedule
        )
        if draft.kind.keepsMessage {
            draft.messageCenter = MessageCenterContent(subject: "News", message: "Only today")
        }
        return draft
    }

    private mutating func sendEarlier() async throws {
        for _ in 0..<Int.random(in: 1...3, using: &dice) {
            let isSilent = chance(4)
            _ = try await world.launch(
                audience: try audience(),
                push: isSilent ? PushContent(title: "", body: "") : PushContent(title: "T", body: "B"),
                kind: isSilent ? .silent : .push
            )
            try await world.sendToTheEnd()
            world.clock.advance(by: [60, 600, 7_200].randomElement(using: &dice) ?? 60)
        }
    }

    private mutating func audience() throws -> Condition {
        switch Int.random(in: 0..<6, using: &dice) {
        case 0: .deviceFact(.pushOptIn, .equal(.boolean(true)))
        case 1: .not(.attribute("firstName", .equal(.string("ééé"))))
        case 2: .device(.locale, .equal(.string("fr_FR")))
        default: .everyone
        }
    }

    private mutating func makeDraft() throws -> CampaignDraft {
        let kind: CampaignKind =
            [
                .push, .push, .push, .push, .silent, .messageCenter, .pushAndMessageCenter,
            ].randomElement(using: &dice) ?? .push
        let hasName = kind != .silent && chance(2)
        var push = PushContent(title: hasName ? "Hello {{firstName}}" : "Hello", body: "Only today")
        if kind == .silent { push = PushContent(title: "", body: "", custom: chance(2) ? ["a": "b"] : nil) }
        if chance(3) { push.ttlSeconds = [0, 30, 3_600].randomElement(using: &dice) }
        if kind == .push, chance(3) { push.badge = BadgeChange(op: .increment) }
        if kind == .push, chance(3) { push.variants = ["fr": PushVariant(title: "Bonjour {{firstName}}")] }
        var draft = CampaignDraft(name: "Sale", kind: kind, audience: try audience())
        if kind != .messageCenter { draft.push = push }
        if kind.keepsMessage {
            draft.messageCenter = MessageCenterContent(
                subject: hasName ? "For {{firstName}}" : "News", message: "Only today"
            )
        }
        draft.schedule = try makeSchedule(kind)
        return draft
    }

    private mutating func makeSchedule(_ kind: CampaignKind) throws -> CampaignSchedule? {
        if chance(5) { return nil }
        var schedule = CampaignSchedule()
        switch Int.random(in: 0..<4, using: &dice) {
        case 0: schedule.at = world.clock.now.addingTimeInterval([1_200, 90_000].randomElement(using: &dice) ?? 1_200)
        case 1: schedule.localAt = LocalDateTime(world.clock.now.addingTimeInterval(93_600), in: .gmt)
        default: break
        }
        if chance(2) {
            let hours = [("22:00", "08:00"), ("06:00", "18:00"), ("12:30", "13:00")].randomElement(using: &dice)
            schedule.quietHours = QuietHours(
                from: try #require(TimeOfDay(hours?.0 ?? "22:00")), to: try #require(TimeOfDay(hours?.1 ?? "08:00")),
                then: chance(2) ? .suppress : .delay
            )
        }
        if kind == .push || kind == .pushAndMessageCenter, chance(2) {
            let within = try ISODuration(["PT1H", "P1D"].randomElement(using: &dice) ?? "P1D")
            schedule.frequencyCap = FrequencyCap(count: Int.random(in: 1...2, using: &dice), within: within)
        }
        if chance(3) { schedule.ratePerSecond = Int.random(in: 1...4, using: &dice) }
        if chance(4) {
            let start = schedule.at ?? schedule.firstMoment ?? world.clock.now
            schedule.expiresAt = start.addingTimeInterval([3, 43_200].randomElement(using: &dice) ?? 3)
        }
        return schedule
    }
}

extension CampaignSchedule {
    /// Of a local time, as the clocks of Greenwich show it.
    fileprivate var firstMoment: Date? {
        localAt.map { Date(timeIntervalSince1970: Double($0.secondsInUTC)) }
    }
}
