import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

struct InAppSyncPropertyTests {
    @Test(
        "WIRE-9, IAM-1, IAM-10: after any changes and lost responses, one more sync is correct",
        arguments: Endurance.seeds(12, brief: 3)
    )
    func converges(seed: UInt64) async throws {
        var life = try await InAppSyncLife(seed: seed)
        for _ in 0..<70 { try await life.step() }
        for number in life.phones.indices {
            let due = try await life.due(number)
            try await life.sync(number, isLost: false)
            #expect(life.phones[number].versions == due, "seed \(seed), phone \(number)")
            #expect(Set(due.keys).isSubset(of: life.entitled[number]), "seed \(seed), phone \(number)")
            // Once it has settled there is nothing to say, and one look says so.
            life.world.clock.advance(by: 2)
            try await life.sync(number, isLost: false)
            let again = try await life.sync(number, isLost: false)
            #expect(again.messages.isEmpty && again.recalled.isEmpty, "seed \(seed), phone \(number)")
            if try await !life.isVolatile() { #expect(try await life.phones[number].quickAnswer() == again) }
        }
        #expect(life.downloads > 5)
        try await life.checkLedger()
    }
}

/// Two devices, their contacts, and an operator, by the dice.
private struct InAppSyncLife {
    let world: ServiceWorld
    var phones: [InAppPhone] = []
    /// Campaigns that offered a message to each device when it asked.
    var entitled: [Set<CampaignID>] = [[], []]
    var downloads = 0
    private var dice: SeededGenerator
    private var campaigns: [CampaignID] = []
    private var steps = 0

    init(seed: UInt64) async throws {
        dice = SeededGenerator(seed: seed)
        world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        for number in 1...2 { phones.append(InAppPhone(try await ServiceDevice.started(world, number))) }
    }

    mutating func step() async throws {
        steps += 1
        world.clock.advance(by: [0, 0, 0.3, 1, 2, 60].randomElement(using: &dice) ?? 0)
        let number = Int.random(in: 0..<2, using: &dice)
        switch Int.random(in: 0..<12, using: &dice) {
        case 0, 1: campaigns.append(try await publish())
        case 2: try await change()
        case 3: try await operate()
        case 4, 5: try await tell(number)
        case 6: try await switchPerson(number)
        case 7: try await show(number)
        default: try await sync(number, isLost: Int.random(in: 0..<3, using: &dice) == 0)
        }
    }

    private mutating func audience() throws -> Condition {
        switch Int.random(in: 0..<7, using: &dice) {
        case 0, 1: .everyone
        case 2: .attribute("city", .equal("Paris"))
        case 3: .not(.tag("sports"))
        case 4: .known(true)
        case 5: .contactKeys(["anna"])
        default: .event(EventClause(name: "purchase", within: try ISODuration("PT10M")))
        }
    }

    private mutating func publish() async throws -> CampaignID {
        let end =
            Bool.random(using: &dice) ? nil : world.clock.now.addingTimeInterval(.random(in: 1...900, using: &dice))
        return try await world.offer(ServiceWorld.modal("Message \(steps)", endsAt: end), audience: audience())
    }

    private mutating func change() async throws {
        guard let id = campaigns.randomElement(using: &dice) else { return }
        let (resets, audience, title) = (Bool.random(using: &dice), try audience(), "Edit \(steps)")
        let changesAudience = Bool.random(using: &dice)
        try await unlessRejected {
            try await world.edit(id, resetDisplays: resets) {
                $0.inApp?.content.title = title
                if changesAudience { $0.audience = audience }
            }
        }
    }

    private mutating func operate() async throws {
        guard let id = campaigns.randomElement(using: &dice) else { return }
        let action = Int.random(in: 0..<8, using: &dice)
        let (life, app) = (world.campaigns.life, world.app)
        try await unlessRejected {
            switch action {
            case 0: _ = try await life.recall(id, app: app)
            case 1: try await life.delete(id, app: app)
            case 2: _ = try await life.cancel(id, app: app)
            case 3, 4: _ = try await life.pause(id, app: app)
            case 5, 6: _ = try await life.resume(id, app: app)
            default: try await world.planInAppCampaigns()
            }
        }
    }

    /// What an operator cannot do any more changes nothing.
    private func unlessRejected(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch is ServiceError {}
    }

    private mutating func tell(_ number: Int) async throws {
        if Bool.random(using: &dice) {
            try await phones[number].device.track(
                .test("buy\(steps)", EventName("purchase"), kind: .custom, at: world.clock.now)
            )
        }
        let city = ["Paris", "Rome"].randomElement(using: &dice) ?? ""
        let tags = Bool.random(using: &dice) ? ["sports"] : []
        try await phones[number].device.tell(["city": .string(city)], tags: tags)
    }

    /// Somebody else takes the device over; its messages go at once, its cursor perhaps.
    private mutating func switchPerson(_ number: Int) async throws {
        let before = try await contact(number)
        if let key = ["anna", "ben", nil].randomElement(using: &dice) ?? nil {
            try await phones[number].device.identify(key)
        } else {
            try await phones[number].device.linkAnonymously()
        }
        guard try await contact(number) != before else { return }
        phones[number].purge()
        if Bool.random(using: &dice) { phones[number].cursor = nil }
    }

    private mutating func show(_ number: Int) async throws {
        phones[number].removeEnded()
        guard let id = phones[number].versions.keys.sorted().randomElement(using: &dice) else { return }
        try await phones[number].report(.inAppViewed, id)
    }

    @discardableResult
    mutating func sync(_ number: Int, isLost: Bool) async throws -> InAppSync {
        for id in campaigns where try await isOffered(id, to: number) { entitled[number].insert(id) }
        let response = try await phones[number].sync(isLost: isLost)
        phones[number].removeEnded()
        downloads += isLost ? 0 : response.messages.count
        return response
    }

    private func contact(_ number: Int) async throws -> Int64? {
        try await world.profile(phones[number].device).contact?.id
    }

    /// By the very count that operators see, which knows nothing of cursors.
    private func isOffered(_ id: CampaignID, to number: Int) async throws -> Bool {
        let campaign = try await world.campaign(id)
        guard campaign.status == .active, campaign.draft.inApp?.hasEnded(by: world.clock.now) == false else {
            return false
        }
        let one = Condition.deviceIDs([phones[number].device.client.rawValue])
        return try await world.campaigns.audiences.count(.all([one, campaign.draft.audience]), app: world.app) == 1
    }

    /// What the device is to have after one more sync.
    mutating func due(_ number: Int) async throws -> [CampaignID: Int] {
        phones[number].removeEnded()
        let held = phones[number].versions
        var due: [CampaignID: Int] = [:]
        for id in campaigns {
            let campaign = try await world.campaign(id)
            if try await isOffered(id, to: number) {
                due[id] = campaign.inAppVersion
            } else if campaign.recalledAt == nil, campaign.status != .completed,
                campaign.draft.inApp?.hasEnded(by: world.clock.now) == false
            {
                let wasShown = (try await world.copy(id, phones[number].device)?.shown ?? 0) > 0
                due[id] = campaign.status != .active || wasShown ? held[id] : nil
            }
        }
        return due
    }

    func isVolatile() async throws -> Bool {
        let app = world.app.id
        return try await world.database.read { try $0.inAppRevisions.find(app: app).isVolatile }
    }

    /// LED-1: who has a message is in the ledger as accepted, and the figures add up.
    func checkLedger() async throws {
        try await world.planInAppCampaigns()
        for id in campaigns {
            let counts = try await world.counts(id)
            #expect(counts.total == counts.audience)
            let sums = try await world.campaigns.queries.report(id, app: world.app).inApp
            #expect((sums?.downloaded ?? 0) == counts.accepted)
            for phone in phones where phone.versions[id] != nil {
                #expect(try await world.delivery(id, phone.device)?.state == .accepted)
            }
        }
    }
}
