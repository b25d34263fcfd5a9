import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

struct MessageCenterRepositoryTests {
    @Test("MC-2: the primary center exists without being created, and comes first", arguments: Engine.allCases)
    func primary(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let (fresh, made) = try await store.write { connection in
            let fresh = try connection.messageCenters.all(app: 1)
            for (number, name) in ["News", "Offers", "Primary"].enumerated() {
                let center = MessageCenter(name: MessageCenterName(stored: name), label: "\(number)", isEnabled: false)
                try connection.messageCenters.save(center, app: 1, now: seconds(-Double(number)))
            }
            return (fresh, try connection.messageCenters.all(app: 1))
        }
        #expect(fresh == [MessageCenter(name: .primary)])
        #expect(made.map(\.name.rawValue) == ["Primary", "Offers", "News"])
        #expect(made.map(\.label) == ["2", "1", "0"] && made.allSatisfy { !$0.isEnabled })
        let (others, count, found) = try await store.read { connection in
            (
                try connection.messageCenters.all(app: 2), try connection.messageCenters.customCount(app: 1),
                try connection.messageCenters.find(app: 2, .primary)
            )
        }
        #expect(others == fresh && count == 2 && found == fresh.first)
    }

    @Test("MC-2: a center is changed in place and deleted once", arguments: Engine.allCases)
    func change(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let (changed, deleted, again, left) = try await store.write { connection in
            let centers = connection.messageCenters
            try centers.save(MessageCenter(name: offers, label: "Offers"), app: 1, now: storeEpoch)
            try centers.save(MessageCenter(name: offers, isEnabled: false), app: 1, now: seconds(1))
            let changed = try centers.find(app: 1, offers)
            return (
                changed, try centers.delete(app: 1, offers), try centers.delete(app: 1, offers),
                try centers.find(app: 1, offers)
            )
        }
        #expect(changed == MessageCenter(name: offers, isEnabled: false))
        #expect(deleted && !again && left == nil)
    }
}
