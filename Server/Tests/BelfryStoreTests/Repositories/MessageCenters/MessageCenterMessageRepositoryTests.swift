import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

struct MessageCenterMessageRepositoryTests {
    @Test("MC-5: the newest come first, without expired and deleted ones, of one center of one contact")
    func newest() async throws {
        for engine in Engine.allCases {
            let store = try await TestStore.withCenters(engine)
            try await store.write { connection in
                try connection.centerMessages.keep([
                    .test(1, sent: 10), .test(2, sent: 30), .test(3, sent: 20, expires: 100), .test(4, sent: 30),
                    .test(5, center: offers, sent: 40), .test(6, contact: 2, sent: 50), .test(7, sent: 60),
                ])
                _ = try connection.centerMessages.setState(.deleted, contact: 1, campaign: campaign(7), at: seconds(70))
            }
            let (before, after, offered, limited) = try await store.read { connection in
                (
                    try connection.seen(1, at: 99), try connection.seen(1, at: 100), try connection.seen(1, in: offers),
                    try connection.centerMessages.newest(contact: 1, center: .primary, now: storeEpoch, limit: 2)
                )
            }
            #expect(before == [4, 2, 3, 1] && after == [4, 2, 1] && offered == [5])
            #expect(
                limited.map(\.text) == ["body 4", "body 2"] && limited.map(\.sentAt) == [seconds(30), seconds(30)])
        }
    }

    @Test("MC-5: one query has the newest of several centers, and of all together", arguments: Engine.allCases)
    func byCenter(_ engine: Engine) async throws {
        let store = try await TestStore.withCenters(engine)
        _ = try await store.write { connection in
            try connection.centerMessages.keep([
                .test(1, sent: 10), .test(2, sent: 30), .test(3, sent: 20), .test(4, center: offers, sent: 25),
                .test(5, center: offers, sent: 30), .test(6, center: MessageCenterName(stored: "Gone"), sent: 99),
                .test(7, contact: 2, sent: 98),
            ])
        }
        let empty = MessageCenterName(stored: "Empty")
        let (byCenter, all, none) = try await store.read { connection in
            let messages = connection.centerMessages
            return (
                try messages.newestByCenter(contact: 1, in: [.primary, empty, offers], now: storeEpoch, perCenter: 2),
                try messages.newestOfAll(contact: 1, in: [.primary, empty, offers], now: storeEpoch, limit: 3),
                try messages.newestByCenter(contact: 1, in: [], now: storeEpoch, perCenter: 2)
            )
        }
        #expect(byCenter.mapValues { $0.map(\.campaign.number) } == [.primary: [2, 3], offers: [5, 4]])
        #expect(all.map(\.campaign.number) == [5, 2, 4] && none.isEmpty)
    }

    @Test("SEC-2: with others only those are answered whose messages are short", arguments: Engine.allCases)
    func together(_ engine: Engine) async throws {
        let store = try await TestStore.withCenters(engine)
        let largest = String(repeating: "é", count: MessageCenterMessageRepository.maximumTextTogether / 2)
        let contacts: [Int64] = [1, 2, 3]
        let (whole, found) = try await store.write { connection in
            try connection.centerMessages.keep([
                .test(1, sent: 10), .test(2, sent: 20), .test(3, center: offers, body: largest),
                .test(1, contact: 2), .test(4, contact: 2, center: offers, body: largest + "x"),
            ])
            let messages = connection.centerMessages
            return (
                try messages.newestByCenter(contact: 1, in: [.primary, offers], now: storeEpoch, perCenter: 20),
                try contacts.map { contact in
                    try messages.newestByCenterTogether(
                        contact: contact, in: [.primary, offers], now: storeEpoch, perCenter: 20
                    )
                }
            )
        }
        #expect(whole[.primary]?.count == 2 && whole[offers]?.count == 1)
        let expected: [[MessageCenterName: [MessageCenterMessageRow]]?] = [whole, nil, [:]]
        #expect(found == expected)
    }

    @Test("MC-3: a contact has one message of a campaign, and its state stays", arguments: Engine.allCases)
    func once(_ engine: Engine) async throws {
        let store = try await TestStore.withCenters(engine)
        let (counts, row) = try await store.write { connection in
            let messages = connection.centerMessages
            let first = try messages.keep([.test(1, sent: 10), .test(2, contact: 2), .test(1, contact: 2)])
            _ = try messages.setState(.deleted, contact: 1, campaign: campaign(1), at: seconds(20))
            // Another device's own time, and a second attempt.
            let second = try messages.keep([.test(1, sent: 99), .test(2, contact: 2), .test(3)])
            return ([first, second], try messages.find(contact: 1, campaign: campaign(1)))
        }
        #expect(counts == [3, 1])
        #expect(row?.state == .deleted && row?.sentAt == seconds(10))
    }

    @Test("REG-36, ID-8: an erased or merged contact gets no message", arguments: Engine.allCases)
    func gone(_ engine: Engine) async throws {
        let store = try await TestStore.withCenters(engine)
        let kept = try await store.write { connection in
            try connection.contacts.redirect(2, to: 1, now: storeEpoch)
            try connection.contacts.delete(3, app: 1)
            return try connection.centerMessages.keep((1...4).map { try .test(1, contact: $0) })
        }
        #expect(kept == 1)
    }

    @Test("CAMP-4: a rendered message has its own body and HTML, any other the campaign's", arguments: Engine.allCases)
    func contents(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let (bodies, htmls) = try await store.write { connection in
            try connection.makeContacts(3)
            let (messages, id) = (connection.centerMessages, try campaign(1))
            try messages.saveContent(campaign: id, variant: nil, body: "plain", richHTML: "<p/>")
            try messages.saveContent(campaign: id, variant: "fr", body: "français", richHTML: nil)
            try messages.saveContent(campaign: id, variant: "fr", body: "later", richHTML: "later")
            var french = try KeptMessage.test(1, contact: 2)
            french.variant = "fr"
            try messages.keep([.test(1), french, .test(1, contact: 3, body: "Hi Anna", richHTML: "<b>Anna</b>")])
            return (
                try (1...4).map { try messages.find(contact: $0, campaign: id)?.text },
                try (1...4).map { try messages.richHTML(contact: $0, campaign: id) }
            )
        }
        #expect(bodies == ["plain", "français", "Hi Anna", nil])
        #expect(htmls == ["<p/>", nil, "<b>Anna</b>", nil])
    }

    @Test("ADM-5, MC-15: a message that goes to another holder takes along all that it has", arguments: Engine.allCases)
    func given(_ engine: Engine) async throws {
        let store = try await TestStore.withCenters(engine)
        let (before, after, found) = try await store.write { connection in
            let messages = connection.centerMessages
            try messages.keep([.test(1, sent: 10), .test(1, contact: 2, sent: 20), .test(2, sent: 30)])
            try connection.execute(
                "UPDATE center_messages SET variant = 'lost' WHERE contact_id = 1 AND campaign_id = 1")
            try connection.execute(
                """
                UPDATE center_messages SET variant = 'fr', expires_at = 1, state = 'read', state_at = 2, body = 'b',
                    rich_html = 'h', made_from = 3, recalled_at = 4
                WHERE contact_id = 1 AND campaign_id = 2
                """
            )
            let before = try connection.contents(of: "center_messages", except: ["contact_id"], engine)
            var room = MoveRoom.atOnce
            let areAll = try messages.moveSome(from: 1, to: 2, in: &room)
            #expect(areAll)
            let after = try connection.contents(of: "center_messages", except: ["contact_id"], engine)
            let found = try ([1, 2] as [Int64]).map { contact -> [Bool] in
                try ([1, 2] as [Int64]).map { try messages.find(contact: contact, campaign: campaign($0)) != nil }
            }
            return (before, after, found)
        }
        // One of them has something in every column.
        let whole = before.filter { !$0.split(separator: " ").contains("-") }
        let kept = before.filter { !$0.contains("variant=lost") }
        #expect(whole.count == 1 && before.count == 3)
        #expect(after == kept)
        #expect(found == [[false, false], [true, true]])
    }

    @Test("MC-14: in any order of the devices' states, all end with the same", arguments: Engine.allCases)
    func states(_ engine: Engine) async throws {
        var dice = SeededGenerator(seed: 14)
        let stories = (1...9 as ClosedRange<Int64>).map { number in
            let said = (0..<Int.random(in: 0...4, using: &dice)).compactMap { _ in
                MessageState.allCases.randomElement(using: &dice)
            }
            return (campaign: number, said: said, other: said.shuffled(using: &dice))
        }
        let store = try await TestStore.withCenters(engine)
        let (found, unknown) = try await store.write { connection in
            let messages = connection.centerMessages
            try messages.keep(stories.flatMap { [try .test($0.campaign), try .test($0.campaign, contact: 2)] })
            for (number, said, other) in stories {
                for (contact, states) in [(1, said), (2, other)] as [(Int64, [MessageState])] {
                    for state in states {
                        let isThere = try messages.setState(
                            state, contact: contact, campaign: campaign(number), at: storeEpoch
                        )
                        guard isThere else { throw StoreError.corrupted(table: "center_messages", key: "\(number)") }
                    }
                }
            }
            let found = try stories.map { story in
                try [1, 2].map { try messages.find(contact: $0, campaign: campaign(story.campaign))?.state }
            }
            return (found, try messages.setState(.unread, contact: 3, campaign: campaign(1), at: storeEpoch))
        }
        for (story, states) in zip(stories, found) {
            let joined = story.said.reduce(MessageState.unread) { $0.joined($1) }
            #expect(states == [joined, joined], "\(story)")
        }
        #expect(!unknown)
    }
}

extension MessageCenterMessageRow {
    fileprivate var text: String { String(decoding: body, as: UTF8.self) }
}
