import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Synchronization
import Testing

/// FLEET-5: what is asked for a batch goes to one shard, as Citus itself explains it.
@Suite("Batches on Citus", .enabled(if: TestCitus.isThere, TestCitus.reason))
struct CitusBatchTests {
    private static let app: Int64 = 1
    private static let count: Int64 = 40

    /// Devices, and a campaign that is sending.
    private static func prepare(_ connection: any SQLConnection) throws -> CampaignID {
        let app = try connection.apps.insert(
            code: try AppCode("shop"), name: "Shop", settings: AppSettings(), now: ServiceWorld.epoch
        )
        try #require(app == Self.app)
        try connection.attributes.define(try AttributeKey("city"), type: .string, app: app, now: ServiceWorld.epoch)
        for number in 1...Int(count) {
            _ = try connection.devices.insert(
                app: app, client: try ServiceWorld.client(number), now: ServiceWorld.epoch
            )
        }
        let id = try connection.campaigns.insert(ServiceWorld.draft(), app: app, now: ServiceWorld.epoch)
        var row = try #require(try connection.campaigns.find(id))
        row.campaign.status = .sending
        row.campaign.launchedAt = ServiceWorld.epoch
        try connection.campaigns.save(row)
        return id
    }

    /// Puts everyone into the ledger, and claims all batches.
    private static func claimed(_ id: CampaignID, _ connection: any SQLConnection) throws -> [Batch] {
        let now = ServiceWorld.epoch
        let devices = try connection.query("SELECT id FROM devices ORDER BY id", []) { $0.integer(0) }
        let members = devices.map { AudienceMember(device: $0, contact: nil) }
        for part in try connection.batches.cut(members, at: 1_000) {
            _ = try connection.deliveries.plan(id, app: app, members: part, now: now)
            guard let batch = connection.batches.batch(of: id, part) else { continue }
            try connection.batches.insert(batch, availableAt: now)
        }
        return try connection.batches.claim(owner: "a", until: now, now: now, limit: Int(count))
    }

    /// Whatever is asked from the first round of a batch to its end.
    private static func work(on batch: Batch, _ connection: any SQLConnection) throws -> [Int64] {
        let now = ServiceWorld.epoch
        let members = (batch.listed ?? []).map { AudienceMember(device: $0, contact: nil) }
        _ = try connection.deliveries.firstMoved(of: members, app: app)
        let devices = try connection.recipients.pending(
            of: batch, app: app, values: [.attribute("city"), .device(.locale)], dueBy: now
        ).map(\.device)
        _ = try connection.frequencyCaps.recentCounts(
            of: batch.devices, listed: batch.listed, app: app, since: now, except: try #require(CampaignID(99))
        )
        try connection.frequencyCaps.reserve(devices, campaign: batch.campaign, now: now)
        _ = try connection.devices.contacts(of: devices)
        try connection.deliveries.settlePlacing(of: devices, known: [], campaign: batch.campaign, hasMessage: true)
        _ = try connection.badges.apply(
            BadgeChange(op: .increment), devices: devices, campaign: batch.campaign, maximum: 9
        )
        try connection.silentPushes.insert(devices, app: app)
        let states = try connection.silentPushes.states(of: devices)
        try connection.silentPushes.save(
            states.map { SilentPushRow(device: $0.key, state: $0.value) }, owner: nil
        )
        try connection.deliveries.hasten(batch)
        let updates = devices.enumerated().map { place, device in
            DeliveryUpdate(
                device: device, state: place == 0 ? .pending : .accepted, attempts: 1, retryAt: place == 0 ? now : nil
            )
        }
        try connection.deliveries.record(updates, campaign: batch.campaign, now: now)
        try connection.optOuts.endRejections(of: devices, now: now)
        _ = try connection.deliveries.nextRetry(of: batch)
        try connection.deliveries.acceptPlaced(of: batch, now: now) { $0 }
        try connection.deliveries.endPending(
            of: batch.campaign, devices: batch.devices, listed: batch.listed, as: .rejected,
            reason: .campaignCancelled, now: now
        )
        try connection.deliveries.cancelPending(of: batch, reason: .campaignCancelled, now: now)
        _ = try connection.figures.rows(
            of: batch.campaign, devices: batch.devices, listed: batch.listed, RecipientFilter(), limit: 9
        )
        _ = try connection.figures.rows(of: batch.campaign, devices: devices)
        _ = try connection.devices.clients(of: devices)
        try connection.batches.release(batch, owner: "a", dueAt: nil)
        return devices
    }

    @Test("FLEET-5: Citus has one task for each statement of a batch, and every device is in one batch")
    func tasks() async throws {
        let citus = try TestCitus()
        let id = try await citus.database.write { try Self.prepare($0) }
        _ = try citus.distribute(copyingRows: true)
        let entered = try citus.enter()
        defer { try? entered.close() }
        let explained = Explanations()
        let (batches, devices) = try await entered.database.write { connection in
            let batches = try Self.claimed(id, connection)
            let watched = ExplainedConnection(connection: connection, explanations: explained)
            return (batches, try batches.map { try Self.work(on: $0, watched) })
        }
        let listed = batches.map { $0.listed ?? [] }
        #expect(batches.count > 1 && devices == listed)
        #expect(devices.joined().count == Int(Self.count) && Set(devices.joined()).count == Int(Self.count))
        let tasks = explained.tasks
        #expect(tasks.count > 15)
        for (statement, counts) in tasks { #expect(counts == ["Task Count: 1"], "\(statement)") }
        let left = try await entered.database.read { try $0.batchCount(of: id) }
        #expect(left == 0)
    }

    @Test("FLEET-5: of a batch's recipients the values of their contacts are read, on whatever server these are")
    func contacts() async throws {
        let citus = try TestCitus()
        let id = try await citus.database.write { connection in
            let id = try Self.prepare(connection)
            for number in 1...Self.count {
                var device = try #require(try connection.devices.find(id: number))
                device.contact = try connection.contacts.findOrInsert(
                    app: Self.app, key: "key\(number)", known: true, now: ServiceWorld.epoch
                )
                try connection.devices.save(device)
            }
            return id
        }
        _ = try citus.distribute(copyingRows: true)
        let entered = try citus.enter()
        defer { try? entered.close() }
        let areTheirs = try await entered.database.write { connection -> [Bool] in
            try Self.claimed(id, connection).flatMap { batch in
                try connection.recipients.pending(
                    of: batch, app: Self.app, values: [.contactKey], dueBy: ServiceWorld.epoch
                ).map { recipient -> Bool in
                    let key: String? = recipient.values.first ?? nil
                    return key == "key\(recipient.device)"
                }
            }
        }
        #expect(areTheirs == [Bool](repeating: true, count: Int(Self.count)))
    }
}

/// How many shards each statement went to, as Citus says.
private final class Explanations: Sendable {
    private let counts = Mutex<[String: Set<String>]>([:])

    func note(_ sql: SQLText, _ lines: [String]) {
        let found = lines.filter { $0.contains("Task Count:") }.map { line in
            String(line.drop { $0 == " " })
        }
        guard !found.isEmpty else { return }
        counts.withLock { $0[sql.statement, default: []].formUnion(found) }
    }

    /// By the statement. Those about tables that are not distributed are missing.
    var tasks: [String: Set<String>] { counts.withLock { $0 } }
}

/// A connection that has each statement explained before it runs it.
private struct ExplainedConnection: SQLConnection {
    let connection: any SQLConnection
    let explanations: Explanations

    var dialect: any Dialect { connection.dialect }

    private func explain(_ sql: SQLText, _ arguments: [SQLValue]) throws {
        explanations.note(sql, try connection.query("EXPLAIN (COSTS OFF) \(sql)", arguments) { $0.text(0) })
    }

    func execute(_ sql: SQLText, _ arguments: [SQLValue]) throws -> Int {
        try explain(sql, arguments)
        return try connection.execute(sql, arguments)
    }

    func executeEach(_ sql: SQLText, _ rows: [[SQLValue]]) throws -> Int {
        for row in rows { try explain(sql, row) }
        return try connection.executeEach(sql, rows)
    }

    func query<Element>(
        _ sql: SQLText, _ arguments: [SQLValue], _ map: (any SQLRow) throws -> Element
    ) throws -> [Element] {
        try explain(sql, arguments)
        return try connection.query(sql, arguments, map)
    }

    func query<Element>(
        _ sql: SQLText, _ arguments: [SQLValue], texts: [Int], in room: inout ByteRoom,
        _ map: (any SQLRow) throws -> Element
    ) throws -> [Element] {
        try explain(sql, arguments)
        return try connection.query(sql, arguments, texts: texts, in: &room, map)
    }
}
