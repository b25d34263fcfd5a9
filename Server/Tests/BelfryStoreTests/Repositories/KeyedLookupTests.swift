import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// FLEET-4: what calls of devices ask for together.
struct KeyedLookupTests {
    /// The devices 1 and 2 belong to the contacts of these numbers, the third to nobody, the fourth to another app.
    private static func store(_ engine: Engine) async throws -> TestStore {
        let store = try await TestStore.withCenters(engine)
        try await store.write { connection in
            for number in 1...4 {
                var device = try connection.devices.insert(
                    app: number == 4 ? 2 : 1, client: try client(number), now: seconds(Double(number))
                )
                device.contact = number < 3 ? Int64(number) : nil
                try connection.devices.save(device)
            }
            try connection.inAppRevisions.advance(
                app: 1, volatile: true, entrances: AudienceEntrances(.events, events: ["purchase"]), now: storeEpoch
            )
            let center = MessageCenter(name: offers, label: "Offres", isEnabled: false)
            try connection.messageCenters.save(center, app: 1, now: storeEpoch)
            try connection.centerMessages.keep([
                .test(1, sent: 5), .test(2, sent: 4), .test(3, sent: 3, expires: 10), .test(4, sent: 2),
                .test(5, sent: 1), .test(6, center: offers), .test(7, contact: 2), .test(8, contact: 2, body: "own"),
            ])
            for (device, revision, status) in Self.registrations {
                let id = "registration \(revision)"
                try connection.registrations.insert(
                    device: device, snapshot: snapshot(id, revision: revision), requestOrder: 0, now: storeEpoch
                )
                guard status != .received,
                    let row = try connection.registrations.find(device: device, registrationID: id)
                else { continue }
                try connection.registrations.finish(row.key, status: status, rejected: [], contact: 2, now: storeEpoch)
            }
        }
        return store
    }

    private static let registrations: [(device: Int64, revision: Int64, status: ReceiptStatus)] = [
        (1, 1, .processed), (1, 2, .processed), (1, 3, .received), (2, 5, .partlyRejected), (4, 4, .superseded),
    ]

    /// Some twice, some that are gone or never were.
    private static let devices: [Int64] = [3, 1, 99, 2, 1, 4, -1, 3, 0]

    /// What is found together; and that it is what is found for each alone.
    private static func found<Key: Sendable, Found: Equatable & Sendable>(
        _ store: TestStore, _ keys: [Key], _ ask: @escaping @Sendable (any SQLConnection, [Key]) throws -> [Found]
    ) async throws -> [Found] {
        let (together, alone) = try await store.read { connection in
            var alone: [Found] = []
            for key in keys { alone += try ask(connection, [key]) }
            return (try ask(connection, keys), alone)
        }
        #expect(together == alone)
        return together
    }

    @Test("FLEET-4: devices that are looked up together are as each is alone", arguments: Engine.allCases)
    func lookups(_ engine: Engine) async throws {
        let store = try await Self.store(engine)
        let ids: [Int64?] = [3, 1, nil, 2, 1, 4, nil, 3, nil]
        let uploads = try await Self.found(store, Self.devices) { try $0.devices.uploadLinks(ids: $1) }
        #expect(uploads.map { $0?.link.id } == ids)
        #expect(uploads.map { $0?.entering != nil } == [true, true, false, true, true, false, false, true, false])
        let registering = try await Self.found(store, Self.devices) { try $0.devices.registeringLinks(ids: $1) }
        #expect(registering.map { $0?.link.id } == ids)
        #expect(registering.map { $0?.highestRevision } == [0, 3, nil, 5, 3, 4, nil, 0, nil])
        let stamps = try await Self.found(store, Self.devices) { try $0.inAppSyncVersions.find(devices: $1) }
        #expect(stamps.map { $0?.link.id } == ids)
        #expect(stamps.map { $0?.isVolatile } == [true, true, nil, true, true, false, nil, true, nil])
        #expect(stamps.map { $0?.link.contact } == [nil, 1, nil, 2, 1, nil, nil, nil, nil])
        let newest = try await Self.found(store, Self.devices) { try $0.registrations.newestProcessed(of: $1) }
        #expect(newest.map { $0?.revision } == [nil, 2, nil, 5, 2, nil, nil, nil, nil])
        let newer = try await Self.found(store, Self.devices) {
            try $0.registrations.newer(than: 1, for: 2, of: $1, limit: 20)
        }
        #expect(newer.map(\.revision) == [2, 5, 2, 4])
    }

    @Test("FLEET-4: what is fetched together is what each fetches alone", arguments: Engine.allCases)
    func fetches(_ engine: Engine) async throws {
        let store = try await Self.store(engine)
        var asked: [(device: Int64, center: MessageCenterName)] = Self.devices.map { (device: $0, center: .primary) }
        for device in [1, 4, 1] as [Int64] { asked.append((device: device, center: offers)) }
        let views = try await Self.found(store, asked) { try $0.messageCenters.views($1) }
        #expect(views.map { $0?.link.id } == [3, 1, nil, 2, 1, 4, nil, 3, nil, 1, 4, 1])
        let known = views.map { $0?.isKnown }
        #expect(known == [false, true, nil, true, true, false, nil, false, nil, true, false, true])
        #expect(views.suffix(3).map { $0?.center(named: offers)?.label } == ["Offres", nil, "Offres"])
        func fetch(
            _ contact: Int64, _ center: MessageCenterName = .primary, at moment: TimeInterval = 0
        ) -> MessageCenterMessageRepository.Asked {
            .init(contact: contact, center: center, now: seconds(moment))
        }
        let fetches = [fetch(1), fetch(2), fetch(9), fetch(1), fetch(3), fetch(1, offers), fetch(1, at: 10)]
        let whole: [[Int64]] = [[1, 2, 3, 4, 5], [8, 7], [], [1, 2, 3, 4, 5], [], [6], [1, 2, 4, 5]]
        for limit in [20, 2] {
            let pages = try await Self.found(store, fetches) { try $0.centerMessages.newest($1, limit: limit) }
            #expect(pages.map { $0.map(\.campaign.number) } == whole.map { Array($0.prefix(limit)) })
        }
    }

    @Test(
        "PERF-15, MC-5: of several who ask each gets what was said to all, to the own variant, or to nobody else",
        arguments: Engine.allCases)
    func words(_ engine: Engine) async throws {
        let store = try await TestStore.withCenters(engine)
        // Swift takes the two variants for one.
        let variants: [Int64: String] = [1: "e\u{301}", 2: "\u{e9}"]
        try await store.write { connection in
            for (contact, variant) in variants {
                try connection.centerMessages.saveContent(
                    campaign: campaign(9), variant: variant, body: "to \(contact)", richHTML: nil
                )
            }
            var messages: [KeptMessage] = []
            for contact in 1...3 as ClosedRange<Int64> {
                var message = try KeptMessage.test(9, contact: contact, sent: 2)
                message.variant = variants[contact]
                messages.append(message)
                messages.append(try .test(1, contact: contact, sent: 1, body: contact == 2 ? "own" : nil))
            }
            try connection.centerMessages.keep(messages)
        }
        let fetches = (1...3 as ClosedRange<Int64>).map { contact in
            MessageCenterMessageRepository.Asked(contact: contact, center: .primary, now: storeEpoch)
        }
        let pages = try await Self.found(store, fetches) { try $0.centerMessages.newest($1, limit: 20) }
        let bodies = pages.map { page in page.map { String(decoding: $0.body, as: UTF8.self) } }
        #expect(bodies == [["to 1", "body 1"], ["to 2", "own"], ["body 9", "body 1"]])
    }

    @Test(
        "SEC-2, FLEET-4: who has long messages is answered as alone; what is too much to be held at once is refused",
        arguments: Engine.allCases)
    func longTexts(_ engine: Engine) async throws {
        let store = try await TestStore.withCenters(engine)
        let limit = MessageCenterMessageRepository.maximumTextTogether
        let largest = String(repeating: "é", count: limit / 2)
        let fetches = (1...10 as ClosedRange<Int64>).map { contact in
            MessageCenterMessageRepository.Asked(contact: contact, center: .primary, now: storeEpoch)
        }
        try await store.write { connection in
            // The contact 1 has short messages, 2 a long one of its own, and 3 one of a campaign that says much to all.
            try connection.centerMessages.saveContent(
                campaign: try campaign(10), variant: nil, body: largest + "x", richHTML: nil
            )
            try connection.centerMessages.keep([
                .test(1), .test(2, body: largest), .test(1, contact: 2), .test(3, contact: 2, body: largest + "x"),
                .test(10, contact: 3), .test(4, contact: 3),
            ])
        }
        let first = try await Self.found(store, Array(fetches.prefix(3))) {
            try $0.centerMessages.newest($1, limit: 20)
        }
        let bodies = first.map { page in page.map(\.body.count) }
        #expect(bodies == [[limit, 6], [limit + 1, 6], [limit + 1, 6]])

        // Of each as much as a template may make of all the messages of a center.
        let long = String(repeating: "x", count: MessageCenterMessageRepository.maximumLongTogether / 40)
        try await store.write { connection in
            try connection.makeContacts(10)
            for contact in 4...6 as ClosedRange<Int64> {
                let messages = try (11...30).map { try KeptMessage.test($0, contact: contact, body: long) }
                try connection.centerMessages.keep(messages)
            }
        }
        let (fitting, all) = (Array(fetches[2...4]), fetches)
        let two = try await Self.found(store, fitting) { try $0.centerMessages.newest($1, limit: 20) }
        #expect(two.map(\.count) == [2, 20, 20])
        await #expect(throws: MessageCenterMessageRepository.TooLongTogether.self) {
            try await store.read { connection in
                _ = try connection.centerMessages.newest(all, limit: 20)
            }
        }
    }
}
