import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// Snapshots of registrations and contents of campaigns, each of which may have a megabyte.
struct LongTextTests {
    private static let count = 12
    private static let text = String(repeating: "a", count: 1_000_000)

    @Test(
        "SEC-2, WIRE-21: what waits of a device is read by a bounded number of bytes, the oldest first",
        arguments: Engine.allCases)
    func waiting(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            for number in 1...Self.count as ClosedRange<Int> {
                for device in [1, 2] as [Int64] {
                    _ = try connection.registrations.insert(
                        "r\(number)", revision: Int64(number), snapshot: Self.text, device: device,
                        order: PropertyOrder(), now: storeEpoch
                    )
                }
            }
        }
        var pages: [[Int64]] = []
        var (reached, isCut): (Int64, Bool) = (0, true)
        while isCut, pages.count < Self.count {
            let start = reached
            let page = try await store.read { try $0.registrations.waiting(of: 1, above: 2, after: start, limit: 9) }
            pages.append(page.rows.map(\.revision))
            (reached, isCut) = (page.rows.last?.id ?? 0, page.isCut)
        }
        #expect(pages.flatMap(\.self) == Array(3...Int64(Self.count)))
        let most = RegistrationRepository.maximumSnapshotBytes / Self.text.utf8.count + 1
        #expect(pages.count > 1 && pages.allSatisfy { page in page.count <= most })
    }

    @Test(
        "SEC-2, REG-25: what a review reads of devices has a bounded number of bytes, and the next page goes on",
        arguments: Engine.allCases)
    func reviewed(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            let devices = try connection.makeDevices(Self.count, app: 1)
            for device in devices {
                _ = try connection.registrations.insert(
                    "r\(device)", revision: 1, snapshot: Self.text, device: device, order: PropertyOrder(),
                    now: storeEpoch
                )
            }
            try connection.execute("UPDATE registrations SET contact_id = 8, status = 'processed'")
            try connection.dormantDevices.take([devices[0], devices[1], devices[7]], app: 1)
        }
        var pages: [[Int64]] = []
        var through: Int64 = 100
        while through > 0, pages.count < Self.count {
            let ids = 1...through
            let page = try await store.read { try $0.registrations.newestOfEachContact(ids, app: 1) }
            pages.append(page.rows.map(\.id))
            through = page.reached - 1
        }
        let all = pages.flatMap(\.self)
        #expect(all.count == Self.count && all == all.sorted().reversed())
        let most = 2 * (RegistrationRepository.maximumSnapshotBytes / Self.text.utf8.count + 1)
        #expect(pages.count > 1 && pages.allSatisfy { page in page.count <= most })
    }

    @Test(
        "SEC-2, REG-25: how much devices have said for a contact since is known before it is read",
        arguments: Engine.allCases)
    func newerBytes(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            for (number, text) in ["ä", "bb", "ccc", "dddd"].enumerated() {
                _ = try connection.registrations.insert(
                    "r\(number)", revision: Int64(number), snapshot: text, device: Int64(1 + number / 2),
                    order: PropertyOrder(), now: storeEpoch
                )
            }
            try connection.execute("UPDATE registrations SET contact_id = 8, status = 'processed'")
        }
        let found = try await store.read { connection in
            [
                try connection.registrations.newerBytes(than: 0, for: 8, of: [1, 2, 3], limit: 20),
                try connection.registrations.newerBytes(than: 1, for: 8, of: [1, 2], limit: 20),
                try connection.registrations.newerBytes(than: 0, for: 8, of: [1, 2], limit: 1),
                try connection.registrations.newerBytes(than: 0, for: 9, of: [1, 2], limit: 20),
                try connection.registrations.newerBytes(than: 0, for: 8, of: [2], limit: 20),
            ]
        }
        #expect(found == [11, 9, 6, 0, 7])
    }

    @Test(
        "SEC-9, SEC-2: what a device has registered goes to another contact by a bounded number of bytes, the newest first",
        arguments: Engine.allCases)
    func moved(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let text = String(repeating: "a", count: 3 * MoveRoom.maximumBytes / 8)
        let (first, others, last) = try await store.write { connection in
            let devices = try connection.makeDevices(2, app: 1)
            for device in devices {
                for revision in 1...4 as ClosedRange<Int64> {
                    _ = try connection.registrations.insert(
                        "r\(revision)", revision: revision, snapshot: text, device: device, order: PropertyOrder(),
                        now: storeEpoch
                    )
                }
            }
            try connection.execute("UPDATE registrations SET contact_id = 8, status = 'processed'")
            // What is on its way to nobody would be removed.
            try connection.makeContacts(9)
            // Of a device for which nothing is left the newest goes all the same: a review asks for that one.
            var room = MoveRoom.atOnce
            for device in devices {
                try connection.eventMoves.begin(of: device, from: 8, to: 9, in: &room)
            }
            let first = try devices.map { try connection.revisions(of: $0, contact: 9) }
            let others = try connection.registrations.newestOfEachContact(1...100, app: 1).rows.map(\.contact)
            for _ in 0..<9 {
                guard let move = try connection.eventMoves.next(after: .start, for: "test", now: storeEpoch) else {
                    break
                }
                _ = try connection.eventMoves.go(on: move)
            }
            let last = try devices.map { try connection.revisions(of: $0, contact: 9) }
            return (first, others, last)
        }
        #expect(first == [[2, 3, 4], [4]])
        #expect(!others.contains(8))
        #expect(last == [[1, 2, 3, 4], [1, 2, 3, 4]])
        let left = try await store.read { try $0.eventMoves.next(after: .start, for: "test", now: storeEpoch) }
        #expect(left == nil)
    }

    @Test("SEC-2, CON-6: long campaigns are read a few at a time, and each once", arguments: Engine.allCases)
    func campaigns(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let ids = try await store.write { connection in
            try (0..<Self.count).map { number in
                let push = PushContent(title: "\(number)", body: Self.text)
                let draft = CampaignDraft(name: "Sale", kind: .push, audience: .everyone, push: push)
                return try connection.campaigns.insert(draft, app: 1, now: storeEpoch).number
            }
        }
        let titles = try await store.read { connection in
            try connection.campaigns.each(ids.reversed()) { row in
                row.campaign.draft.push?.title == "3" ? nil : row.campaign.draft.push?.title
            }
        }
        #expect(titles == (0..<Self.count).filter { number in number != 3 }.map { number in "\(number)" })
    }
}

extension SQLConnection {
    fileprivate func revisions(of device: Int64, contact: Int64) throws -> [Int64] {
        try query(
            "SELECT revision FROM registrations WHERE device_id = ? AND contact_id = ? ORDER BY revision",
            [.integer(device), .integer(contact)]
        ) { $0.integer(0) }
    }
}
