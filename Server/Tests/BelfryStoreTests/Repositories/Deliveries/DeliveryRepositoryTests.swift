import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryTestSupport
import Foundation
import Testing

@testable import BelfryStore

struct DeliveryRepositoryTests {
    @Test(
        "CON-13: what is left for some devices is looked up by each of them, not by the range of their numbers",
        arguments: Engine.allCases)
    func pendingPlan(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine, isRecycled: false)
        let id = try campaign(1)
        let (plan, found, chosen) = try await store.write { connection in
            let all = try connection.makeDevices(300, app: 1)
            let members = all.map { AudienceMember(device: $0, contact: nil) }
            _ = try connection.deliveries.plan(id, app: 1, members: members, now: storeEpoch)
            try connection.analyze(engine)
            let chosen = [all[0], all[299]]
            let question = RecipientRepository.pendingQuestion(
                of: id, among: chosen, RecipientSource(columns: [], joins: ""), connection.dialect
            )
            let plan = try connection.plan(of: question.sql, question.arguments, engine)
            let found = try connection.recipients.pending(of: id, among: chosen, app: 1, values: [])
            return (plan, found.map { one in one.device }, chosen)
        }
        #expect(found == chosen)
        let lookUps = ["(campaign_id=? AND device_id=?)", "Index Cond: ((campaign_id = $1) AND (device_id = ANY ("]
        #expect(lookUps.contains { lookUp in plan.contains(lookUp) }, "\(plan)")
        #expect(!plan.contains("device_id>?") && !plan.contains("device_id >="), "\(plan)")
    }

    @Test(
        "LED-1: planning in chunks puts each device of the audience into the ledger exactly once",
        arguments: Engine.allCases)
    func plan(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let ids = try await store.write { connection in
            let app = try connection.makeApp()
            let other = try connection.makeApp("other")
            let ids = try connection.makeDevices(230, app: app)
            try connection.makeDevices(20, app: other)
            return ids
        }
        let id = try campaign(1)
        var chunks: [(range: ClosedRange<Int64>, count: Int)] = []
        var next: Int64 = 1
        while chunks.count < 100 {
            let members = ids.filter { $0 >= next && $0 % 3 != 0 }.prefix(40).map {
                AudienceMember(device: $0, contact: nil)
            }
            let chunk = try await store.write { connection in
                try connection.deliveries.plan(id, app: 1, members: members, now: storeEpoch)
            }
            guard let chunk else { break }
            chunks.append(chunk)
            next = chunk.range.upperBound + 1
        }
        let expected = ids.filter { $0 % 3 != 0 }
        #expect(chunks.map(\.count).reduce(0, +) == expected.count)
        #expect(zip(chunks, chunks.dropFirst()).allSatisfy { $0.range.upperBound < $1.range.lowerBound })
        let planned = try await store.read { [chunks] connection in
            try chunks.flatMap {
                try connection.recipients.pending(
                    of: Batch(campaign: id, number: 1, devices: $0.range), app: 1, values: [], dueBy: .distantFuture
                )
            }
        }
        #expect(planned.map(\.device) == expected)
        #expect(try await store.read { try $0.figures.counts(of: id).audience } == expected.count)
    }

    @Test(
        "LED-1: devices added after the launch are not planned, and none twice", arguments: Engine.allCases)
    func planBounds(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        try await store.write { connection in
            let app = try connection.makeApp()
            try connection.makeDevices(9, app: app)
        }
        let first = try await plan(store, 1..<6)
        #expect(first?.range == 1...5 && first?.count == 5)
        #expect(try await plan(store, 10..<20)?.count == nil)
        #expect(try await plan(store, 6..<6)?.count == nil)
        await #expect(throws: (any Error).self) { try await plan(store, 5..<7) }
        #expect(try await store.read { try $0.figures.counts(of: campaign(1)).audience } == 5)
    }

    @Test("LED-1: a recipient is read with everything that decision and send need", arguments: Engine.allCases)
    func recipients(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let token = try PushToken("abcd", provider: .apns, environment: .sandbox)
        try await store.write { connection in
            let app = try connection.makeApp()
            try connection.makeDevices(2, app: app)
            guard var device = try connection.devices.find(id: 2) else { return }
            device.pushToken = token
            device.tokenAt = seconds(1)
            device.pushEnabled = true
            device.osPushEnabled = false
            device.optOut = OptOut(reason: .osSetting, at: seconds(2))
            device.contact = 77
            try connection.devices.save(device)
        }
        _ = try await plan(store, 1..<9)
        let retry = DeliveryUpdate(
            device: 2, state: .pending, attempts: 3, retryAt: seconds(4), note: "TooManyRequests"
        )
        try await store.write { try $0.deliveries.record([retry], campaign: campaign(1), now: seconds(3)) }
        let recipients = try await store.read {
            try $0.recipients.pending(
                of: Batch(campaign: campaign(1), number: 1, devices: 1...2), app: 1, values: [], dueBy: .distantFuture
            )
        }
        #expect(recipients.map(\.device) == [1, 2])
        #expect(recipients[0].pushToken == nil && recipients[0].attempts == 0)
        // A device without a decision counts as opted in.
        #expect(recipients[0].consent == DeviceConsent(hasToken: false, pushEnabled: true))
        let full = recipients[1]
        #expect(full.pushToken == token && full.tokenAt == seconds(1) && full.contact == 77)
        #expect(full.client == (try client(2)))
        #expect(full.consent.hasToken && full.consent.pushEnabled && full.consent.osPushEnabled == false)
        #expect(full.consent.optOut?.reason == .osSetting)
        #expect(full.attempts == 3 && full.retryAt == seconds(4))
    }

    @Test(
        "SEC-2: of recipients with long values as many are read as have room, the first in any case",
        arguments: Engine.allCases)
    func valueBytes(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        try await store.write { connection in
            let app = try connection.makeApp()
            for id in try connection.makeDevices(9, app: app) {
                guard var device = try connection.devices.find(id: id) else { continue }
                let key = String(repeating: "k", count: 99) + String(id)
                device.contact = try connection.contacts.findOrInsert(app: app, key: key, known: true, now: storeEpoch)
                try connection.devices.save(device)
            }
        }
        _ = try await plan(store, 1..<10)
        for (room, count) in [(1, 1), (100, 1), (101, 2), (350, 4), (Int.max, 9)] {
            let found = try await store.read {
                try $0.recipients.pending(
                    of: Batch(campaign: campaign(1), number: 1, devices: 1...9), app: 1, values: [.contactKey],
                    dueBy: .distantFuture, maximumBytes: room
                )
            }
            #expect(found.map(\.device) == Array(1...Int64(count)))
        }
    }

    @Test(
        "LED-1: exactly the rows that were accepted together say so, adjacent or not",
        arguments: Engine.allCases, [1, 3])
    func acceptances(_ engine: Engine, step: Int) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let ids = try await store.write { connection in
            try connection.makeDevices(100, app: try connection.makeApp())
        }
        _ = try await plan(store, 1..<1_000)
        // In no order, with a gap that a range must not close, and one that took a second attempt in the midst of a run.
        let gap = ids[60]
        let accepted = ids.enumerated().filter { $0.offset % step == 0 && $0.element != gap }.map(\.element).shuffled()
        let late = accepted[7]
        let updates = accepted.map { DeliveryUpdate(device: $0, state: .accepted, attempts: $0 == late ? 2 : 1) }
        try await store.write { try $0.deliveries.record(updates, campaign: campaign(1), now: seconds(9)) }
        let rows = try await store.read { connection in
            try ids.map { try connection.deliveries.find(campaign: campaign(1), device: $0) }
        }
        for (id, row) in zip(ids, rows) {
            let isAccepted = accepted.contains(id)
            #expect(row?.state == (isAccepted ? .accepted : .pending), "\(id)")
            #expect(row?.attempts == (id == late ? 2 : isAccepted ? 1 : 0) && row?.retryAt == nil, "\(id)")
        }
    }

    @Test("LED-1: numbers are split into gapless runs and the rest, each in one of them")
    func runs() {
        let run = Array(Int64(100)..<140)
        #expect(NumberRuns.split(run.shuffled()).runs == [100...139])
        #expect(NumberRuns.split(run.shuffled()).others.isEmpty)
        let broken = run.filter { $0 != 120 }
        #expect(NumberRuns.split(broken.shuffled()).runs == [100...119, 121...139])
        let sparse = run.filter { $0 % 2 == 0 }
        #expect(NumberRuns.split(sparse.shuffled()).runs.isEmpty && NumberRuns.split(sparse).others == sparse)
        let short = Array(run.prefix(NumberRuns.shortest - 1))
        #expect(NumberRuns.split(short).runs.isEmpty && NumberRuns.split(short).others == short)
        #expect(NumberRuns.split(short + [short[0]]).others.count == short.count + 1)
        #expect(NumberRuns.split([]).runs.isEmpty && NumberRuns.split([]).others.isEmpty)
    }

    @Test("LED-1: a row that is final stays as it is", arguments: Engine.allCases)
    func finalRows(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        try await prepare(store, devices: 1)
        let states: [DeliveryState] = [.accepted, .rejected, .suppressed, .cancelled, .pending]
        for (second, state) in states.enumerated() {
            let update = DeliveryUpdate(
                device: 1, state: state, reason: DeliveryReason(rawValue: state.rawValue), attempts: second + 1
            )
            let batch = Batch(campaign: try campaign(1), number: 1, devices: 1...1)
            try await store.write { connection in
                try connection.deliveries.record([update], campaign: campaign(1), now: seconds(Double(second)))
                try connection.deliveries.cancelPending(of: batch, reason: .campaignCancelled, now: seconds(50))
                try connection.deliveries.hasten(batch)
            }
        }
        let row = try await store.read { try $0.deliveries.find(campaign: campaign(1), device: 1) }
        #expect(row?.state == .accepted && row?.reason?.rawValue == "accepted" && row?.attempts == 1)
        #expect(row?.updatedAt == storeEpoch)
    }

    @Test(
        "PUSH-5: the batch is due when its first pending device is, and never when all are final",
        arguments: Engine.allCases)
    func nextRetry(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        try await prepare(store, devices: 3)
        let batch = Batch(campaign: try campaign(1), number: 1, devices: 1...3)
        let updates = [
            DeliveryUpdate(device: 1, state: .pending, attempts: 1, retryAt: seconds(9)),
            DeliveryUpdate(device: 2, state: .pending, attempts: 1, retryAt: seconds(5)),
            DeliveryUpdate(device: 3, state: .accepted, attempts: 1),
        ]
        try await store.write { try $0.deliveries.record(updates, campaign: campaign(1), now: storeEpoch) }
        #expect(try await store.read { try $0.deliveries.nextRetry(of: batch).dueAt } == seconds(5))
        // Only what waits is written: of a large campaign most is due already.
        let first = Batch(campaign: try campaign(1), number: 2, devices: 1...1)
        let hastened = try await store.write { connection in
            try [first, batch, batch].map { try connection.deliveries.hasten($0) }
        }
        #expect(hastened == [1, 1, 0])
        #expect(try await store.read { try $0.deliveries.nextRetry(of: batch).placeAt } == Date(milliseconds: 0))
        try await store.write {
            try $0.deliveries.cancelPending(of: batch, reason: .campaignCancelled, now: storeEpoch)
        }
        #expect(try await store.read { try $0.deliveries.nextRetry(of: batch).dueAt } == nil)
        #expect(try await store.read { try $0.figures.counts(of: campaign(1)).cancelled } == 2)
    }

    @Test(
        "LED-3: in any sequence, the counts are sums of the rows and add up to the audience",
        arguments: Engine.allCases, 1...3)
    func counts(_ engine: Engine, seed: UInt64) async throws {
        let store = try TestStore(engine, isRecycled: true)
        var dice = SeededGenerator(seed: seed)
        try await prepare(store, devices: 60)
        var states = Array(repeating: DeliveryState.pending, count: 61)
        var displayed: Set<Int64> = []
        for _ in 0..<150 {
            let device = Int64.random(in: 1...60, using: &dice)
            let state = DeliveryState.allCases.randomElement(using: &dice) ?? .pending
            let update = DeliveryUpdate(device: device, state: state, attempts: 1)
            if states[Int(device)] == .pending { states[Int(device)] = state }
            let shows = Bool.random(using: &dice)
            if shows { displayed.insert(device) }
            try await store.write { connection in
                try connection.deliveries.record([update], campaign: campaign(1), now: storeEpoch)
                guard shows else { return }
                try connection.deliveries.engage(.displayed, device: device, at: [campaign(1): storeEpoch])
            }
        }
        let counts = try await store.read { try $0.figures.counts(of: campaign(1)) }
        let tally = Dictionary(grouping: states.dropFirst()) { $0 }.mapValues(\.count)
        #expect(counts.audience == 60)
        #expect(
            [counts.pending, counts.accepted, counts.suppressed, counts.rejected, counts.cancelled]
                == [.pending, .accepted, .suppressed, .rejected, .cancelled].map { tally[$0] ?? 0 }
        )
        #expect(counts.displayed == displayed.count && counts.opened == 0)
    }

    @Test(
        "PUSH-22: the first fact of a kind counts; one about nobody in the ledger does not",
        arguments: Engine.allCases)
    func engagement(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        try await prepare(store, devices: 1)
        let isKnown = try await store.write { connection in
            let results = try [5, 3, 9].map {
                try connection.deliveries.engage(.opened, device: 1, at: [campaign(1): seconds($0)])
            }
            try connection.deliveries.engage(.displayed, device: 1, at: [campaign(1): seconds(4)])
            let others = [
                try connection.deliveries.engage(.opened, device: 2, at: [campaign(1): storeEpoch]),
                try connection.deliveries.engage(.opened, device: 1, at: [campaign(2): storeEpoch]),
            ]
            return results + others
        }
        #expect(isKnown == [1, 1, 1, 0, 0])
        let row = try await store.read { try $0.deliveries.find(campaign: campaign(1), device: 1) }
        #expect(row?.engagements == [.opened: seconds(5), .displayed: seconds(4)])
        #expect(try await store.read { try $0.deliveries.find(campaign: campaign(1), device: 2) } == nil)
        #expect(try await store.read { try $0.figures.counts(of: campaign(1)).opened } == 1)
    }

    /// So many devices of one app, planned as everyone of campaign 1.
    private func prepare(_ store: TestStore, devices: Int) async throws {
        try await store.write { connection in
            let app = try connection.makeApp()
            try connection.makeDevices(devices, app: app)
        }
        _ = try await plan(store, 1..<Int64(devices + 1))
    }

    private func plan(
        _ store: TestStore, _ devices: Range<Int64>
    ) async throws -> (range: ClosedRange<Int64>, count: Int)? {
        try await store.write { connection in
            try connection.deliveries.plan(
                campaign(1), app: 1, members: devices.map { AudienceMember(device: $0, contact: nil) }, now: storeEpoch
            )
        }
    }
}
