import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// Every list reads one page from an index, in order: what lies before and behind it costs nothing (ADM-7).
@Suite("The plans of lists")
struct ListPlanTests {
    private struct List: Sendable {
        let sql: SQLText
        let arguments: [SQLValue]
        let index: String
    }

    private static func lists(_ dialect: any Dialect) -> [List] {
        let (app, cursor, limit): (SQLValue, SQLValue, SQLValue) = (.integer(1), .integer(1_000_000), .integer(50))
        return [
            List(sql: ContactRepository.listSQL(dialect), arguments: [app, cursor, limit], index: "contacts_by_app"),
            List(
                sql: ContactRepository.prefixSQL,
                arguments: [app, .text("an"), .text("an\u{10FFFF}"), .text("anna"), limit], index: "contacts_by_key"
            ),
            List(
                sql: DeviceRepository.listSQL(in: .living, dialect), arguments: [app, cursor, limit],
                index: "devices_by_app"
            ),
            List(
                sql: DeviceRepository.listSQL(in: .dormant, dialect), arguments: [app, cursor, limit],
                index: "dormant_devices_by_app"
            ),
            List(
                sql: DeviceRepository.numbersSQL(in: .living, dialect), arguments: [app, cursor, limit],
                index: "devices_by_app"
            ),
            List(
                sql: DeviceRepository.listOfContactSQL(in: .living), arguments: [app, cursor, limit],
                index: "devices_by_contact"
            ),
            List(
                sql: DeviceRepository.listOfContactSQL(in: .dormant), arguments: [app, cursor, limit],
                index: "dormant_devices_by_contact"
            ),
            // From the contact's first device on (SEC-9).
            List(
                sql: ContactFollowingRepository.devicesSQL, arguments: [app, .integer(0), limit],
                index: "devices_by_contact"
            ),
            search(AuditSearch(), index: "", dialect),
            search(AuditSearch(app: "shop"), index: "audit_log_by_app", dialect),
            search(AuditSearch(actor: "user:anna"), index: "audit_log_by_actor", dialect),
            search(AuditSearch(actor: "user:anna", leavesOutReads: true), index: "audit_log_changes_by_actor", dialect),
            List(
                sql: AdminKeyRepository.listSQL(dialect), arguments: [app, cursor, limit], index: "admin_keys_by_app"
            ),
            List(sql: ErasureRepository.listSQL(dialect), arguments: [app, cursor, limit], index: "erasures_by_app"),
            List(sql: ErasureRepository.newestSQL(dialect), arguments: [app], index: "erasures_by_app"),
            List(
                sql: CampaignRepository.listSQL(dialect), arguments: [app, cursor, limit],
                index: "campaigns_by_app_listed"
            ),
            List(
                sql: CampaignRepository.listOfStatusSQL(dialect), arguments: [app, .text("completed"), cursor, limit],
                index: "campaigns_by_status"
            ),
            List(sql: CampaignVersionRepository.listSQL, arguments: [app, cursor, limit], index: ""),
            List(
                sql: CampaignCommentRepository.listSQL, arguments: [app, cursor, limit],
                index: "campaign_comments_by_campaign"
            ),
        ]
    }

    private static func search(_ search: AuditSearch, index: String, _ dialect: any Dialect) -> List {
        let sql = AuditSearchSQL(search, before: 1_000_000, dialect)
        return List(sql: sql.list, arguments: sql.arguments(window: 100, limit: 50), index: index)
    }

    /// Whether a plan uses an index of just this name: another one's may begin so.
    static func uses(_ index: String, _ plan: String) -> Bool {
        plan.split { !($0.isLetter || $0.isNumber || $0 == "_") }.contains { $0 == index }
    }

    /// Where most contacts went into one, those of another are few, and a walk by number would pass all of them.
    @Test("SEC-2, ADM-5: former keys are looked for among what went into their contact", arguments: Engine.allCases)
    func formerKeys(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine, isRecycled: false)
        let plan = try await store.write { connection in
            let contacts = (0...2_000).map { number in
                NewContact(app: 1, key: "part \(number)", isKnown: true, now: storeEpoch)
            }
            let person = try #require(try connection.contacts.insert(contacts).first)
            try connection.execute(
                "UPDATE contacts SET merged_into = ? WHERE id <> ?", [.integer(person), .integer(person)]
            )
            // A server never has SQLite gather statistics.
            if engine == .postgres { try connection.analyze(engine) }
            return try connection.plan(
                of: FormerKeyRepository.aliasPageSQL, [.integer(person), .integer(0), .integer(1_000)], engine
            )
        }
        #expect(Self.uses("contacts_by_merger", plan) && !Self.uses("contacts_pkey", plan), "\(plan)")
    }

    @Test("ADM-7: each list reads its page from an index, in its order", arguments: Engine.allCases)
    func plans(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine, isRecycled: false)
        try await store.write { connection in
            // A small app beside a large one: a walk through everybody's rows would be the wrong plan.
            for number in 1...400 {
                try connection.makeEntries(number, app: number.isMultiple(of: 200) ? 1 : 2)
            }
            // As many dormant devices beside them.
            try connection.execute(
                """
                INSERT INTO dormant_devices (id, app_id, client_id, contact_id, link_generation, confirmed_generation,
                    revision, token_order, properties_order, contact_order, created_at, updated_at)
                SELECT id + 1000, app_id, client_id, contact_id, 0, 0, 0, 0, 0, 0, 0, 0 FROM devices
                """
            )
            try connection.analyze(store.engine)
        }
        let plans = try await store.read { connection in
            try Self.lists(connection.dialect).map { list in
                (list, try connection.plan(of: list.sql, list.arguments, engine))
            }
        }
        for (number, (list, plan)) in plans.enumerated() {
            #expect(list.index.isEmpty || Self.uses(list.index, plan), "\(number): \(plan)")
            #expect(!plan.contains("SCAN ") && !plan.contains("Seq Scan"), "\(number): \(plan)")
            #expect(!plan.contains("TEMP B-TREE") && !plan.contains("Sort"), "\(number): \(plan)")
        }
    }

    @Test("ADM-7: devices are found by token and by id by their indexes", arguments: Engine.allCases)
    func searches(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine, isRecycled: false)
        // On PostgreSQL a write that had to be tried again has used up the numbers of its first attempt.
        let ids = try await store.write { connection in
            let ids = try connection.makeDevices(300, app: 1)
            for (place, device) in ids.enumerated() {
                guard var row = try connection.devices.find(id: device) else { continue }
                row.pushToken = try PushToken("token\(place + 1)", provider: .fcm, environment: .production)
                try connection.devices.save(row)
            }
            try connection.analyze(store.engine)
            return ids
        }
        let plan = try await store.read { connection in
            try connection.plan(
                of: DeviceRepository.listByTokenSQL(connection.dialect),
                [.texts(["token7"]), .integer(1), .integer(.max as Int64), .integer(9)], engine
            )
        }
        #expect(plan.contains("devices_by_token"), "\(plan)")
        let found = try await store.read { connection in
            try [
                connection.devices.list(app: 1, .pushTokens(["token7", "token8"]), before: nil, limit: 9),
                connection.devices.list(app: 2, .pushTokens(["token7"]), before: nil, limit: 9),
                connection.devices.list(app: 1, .client(try client(9)), before: nil, limit: 9),
                connection.devices.list(app: 1, .client(try client(9)), before: ids[8], limit: 9),
            ].map { $0.devices.map(\.id) }
        }
        #expect(found == [[ids[7], ids[6]], [], [ids[8]], []])
    }

    @Test(
        "ID-9, ADM-7: contacts are found by a party identifier by its index, by a former one, too",
        arguments: Engine.allCases)
    func parties(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine, isRecycled: false)
        try await store.write { connection in
            let main = try connection.contacts.findOrInsert(app: 1, key: "main", known: true, now: storeEpoch)
            for number in 1...300 {
                let id = try connection.contacts.findOrInsert(
                    app: 1, key: "party:phone:home:\(number)", known: true, now: storeEpoch
                )
                guard var contact = try connection.contacts.find(id: id) else { continue }
                contact.party = PartyIdentifier(type: "phone", name: "home", number: "\(number)")
                try connection.contacts.save(contact, now: storeEpoch)
                if number.isMultiple(of: 2) { try connection.contacts.redirect(id, to: main, now: storeEpoch) }
            }
            try connection.analyze(store.engine)
        }
        let plan = try await store.read { connection in
            try connection.plan(
                of: ContactRepository.partySQL,
                [.integer(1), .text("8"), .null, .null, .integer(.max as Int64), .integer(9)], engine
            )
        }
        #expect(Self.uses("contacts_by_party", plan), "\(plan)")
        // The found ones are read as a list.
        let isWalk = ["SCAN c", "SCAN k", "Seq Scan"].contains { plan.contains($0) }
        #expect(!isWalk, "\(plan)")
        let found = try await store.read { connection in
            try ["7", "8", "301"].map { number in
                try connection.contacts.list(app: 1, party: PartySearch(number: number), before: nil, limit: 9)
                    .contacts.map(\.key)
            }
        }
        #expect(found == [["party:phone:home:7"], ["main"], []])
    }

    @Test(
        "ADM-7: contacts are searched by the bytes of their keys, page by page, on each engine",
        arguments: Engine.allCases)
    func prefixes(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let keys = [
            "Ann", "ann", "ann a", "ann-1", "ann_2", "anna", "annä", "anñ", "an", "bert", "ann%", "ann\u{10FFFE}",
        ]
        try await store.write { connection in
            for key in keys {
                _ = try connection.contacts.findOrInsert(app: 1, key: key, known: true, now: storeEpoch)
                _ = try connection.contacts.findOrInsert(app: 2, key: key, known: true, now: storeEpoch)
            }
            // One that went into another is on no list.
            let other = try connection.contacts.findOrInsert(app: 1, key: "annex", known: true, now: storeEpoch)
            let ann = try connection.contacts.findOrInsert(app: 1, key: "ann", known: true, now: storeEpoch)
            try connection.contacts.redirect(other, to: ann, now: storeEpoch)
        }
        let expected = keys.filter { $0.utf8.starts(with: "ann".utf8) }
            .sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        for limit in 1...4 {
            var found: [String] = []
            var position: String?
            while true {
                let start = position
                let page = try await store.read {
                    try $0.contacts.list(app: 1, prefix: "ann", after: start, limit: limit).contacts.map(\.key)
                }
                found += page
                guard page.count == limit, let last = page.last else { break }
                position = last
            }
            #expect(found == expected, "\(limit) at once")
        }
    }

    @Test("ADM-5: each value of a contact has the time at which it was set", arguments: Engine.allCases)
    func times(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let times = try await store.write { connection -> [[String: Int64]] in
            let id = try connection.contacts.findOrInsert(app: 1, key: "ann", known: true, now: storeEpoch)
            var times: [[String: Int64]] = []
            func save(_ attributes: [String: AttributeValue], _ now: Date) throws {
                guard var contact = try connection.contacts.find(id: id) else { return }
                contact.attributes = attributes
                try connection.contacts.save(contact, now: now)
                times.append(try connection.contacts.attributeTimes(of: id).times)
            }
            try save(["a": "1", "b": 2], seconds(10))
            try save(["a": "1", "b": 3], seconds(20))
            try save(["b": 3, "c": true], seconds(30))
            // A contact of before the times were noted: its values are as old as its last change.
            try connection.execute("UPDATE contacts SET attributes_at = NULL WHERE id = ?", [.integer(id)])
            times.append(try connection.contacts.attributeTimes(of: id).times)
            try save(["b": 3, "c": false], seconds(40))
            return times
        }
        func at(_ moment: TimeInterval) -> Int64 { seconds(moment).milliseconds }
        #expect(
            times == [
                ["a": at(10), "b": at(10)], ["a": at(10), "b": at(20)], ["b": at(20), "c": at(30)],
                ["b": at(30), "c": at(30)], ["b": at(30), "c": at(40)],
            ]
        )
    }
}

extension SQLConnection {
    /// An entry of each list.
    fileprivate func makeEntries(_ number: Int, app: Int64) throws {
        let contact = try contacts.findOrInsert(app: app, key: "contact \(number)", known: true, now: storeEpoch)
        var device = try devices.insert(app: app, client: try client(number), now: storeEpoch)
        device.contact = contact
        try devices.save(device)
        // The device with most of them has a third.
        for part in 0..<(number == 1 ? 200 : 1) {
            _ = try events.insert(
                try event("e\(part)", at: seconds(Double(part))), device: device.id, app: app, contact: contact,
                now: storeEpoch
            )
        }
        try audit.append(
            AuditEntry(
                at: storeEpoch, actor: app == 1 ? "user:anna" : "root", app: app == 1 ? "shop" : "other",
                action: number.isMultiple(of: 3) ? "settings.put" : "read", target: nil
            )
        )
        try adminKeys.insert(hash: [UInt8(number / 256), UInt8(number % 256)], app: app, scopes: [], now: storeEpoch)
        _ = try erasures.note(
            RemovedCounts(), of: contact, app: app, name: "receipt \(number)", isDone: true, now: storeEpoch
        )
        let campaign = try makeCampaign(number.isMultiple(of: 3) ? .completed : .draft, app: app)
        // Deleted ones lie in the index of all of them, and in no list.
        for _ in 0..<2 {
            let deleted = try makeCampaign(.completed, app: app)
            try execute("UPDATE campaigns SET deleted_at = 1 WHERE id = ?", [.integer(deleted.number)])
        }
        guard let found = try campaigns.find(campaign) else { return }
        try campaignVersions.insert(
            found.campaign.draft, of: campaign, app: app, by: .key("root"), isPublished: true, resetsDisplays: false,
            now: storeEpoch
        )
        _ = try campaignComments.insert("Hello", on: campaign, by: .key("root"), now: storeEpoch)
    }
}
