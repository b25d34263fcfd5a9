import BelfryModel
import BelfryRules
import BelfryTestSupport
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// Read and deleted on one device is read and deleted on all of the contact's (MC-14).
struct MessageStateTests {
    private func states(_ client: BelfryClient) async throws -> [String: MessageState] {
        let messages = try await client.engine.messageCenter.messages(in: "Primary").messages
        return Dictionary(messages.map { ($0.id, $0.state) }, uniquingKeysWith: { $1 })
    }

    private func fault(_ client: BelfryClient, _ state: MessageState, _ id: String) async -> MessageCenterError? {
        await thrownCenterError { () async throws(MessageCenterError) in
            try await client.engine.messageCenter.setState(state, of: id)
        }
    }

    @Test("MC-14: visible at once on the device, sent to the server when possible, once")
    func reported() async throws {
        let world = try World()
        let client = try await world.startCenters()
        for _ in 0..<3 { await world.server.keep(for: "anna") }
        try await client.engine.messageCenter.refresh()
        await world.server.set(isOffline: true)
        try await client.engine.messageCenter.setState(.read, of: "message-1")
        try await client.engine.messageCenter.setState(.deleted, of: "message-2")
        for _ in 0..<2 { try await client.engine.messageCenter.setState(.read, of: "message-2") }
        #expect(try await states(client) == ["message-1": .read, "message-3": .unread])
        #expect(try await client.engine.messageCenter.unreadCount(in: nil) == 1)
        #expect(try await client.state().messageCenter.pendingStates == 2)
        await world.server.set(isOffline: false)
        try await client.networkReturns()
        await client.waitUntilIdle()
        #expect(try await states(client) == ["message-1": .read, "message-3": .unread])
        let said = await world.server.inbox.messages["anna"]?.map(\.state)
        #expect(said == [.read, .deleted, .unread])
        #expect(await world.server.requests.count { $0.name.hasSuffix("/state") } == 2)
        #expect(try await client.state().messageCenter.pendingStates == 0)
        await world.kill()
    }

    @Test("MC-14: a fetch does not undo a state that was not sent yet")
    func fetchBetween() async throws {
        let world = try World()
        let client = try await world.startCenters()
        await world.server.keep(for: "anna")
        try await client.engine.messageCenter.refresh()
        let busy = FakeServer.error(503, "busy")
        await world.server.script(FakeServer.putState(of: "message-1"), .answer(busy), .answerLost, .answer(busy))
        try await client.engine.messageCenter.setState(.read, of: "message-1")
        for _ in 0..<4 {
            try await client.engine.messageCenter.refresh()
            #expect(try await states(client) == ["message-1": .read])
            try await world.advance(by: 3)
        }
        try await world.advance(by: 60)
        #expect(try await client.state().messageCenter.pendingStates == 0)
        await world.kill()
    }

    @Test("MC-14: unread again, an unknown message and a center that is off are errors, and nothing changes")
    func rejected() async throws {
        let world = try World()
        let client = try await world.startCenters()
        await world.server.keep(for: "anna")
        await world.server.keep(for: "bert")
        try await client.engine.messageCenter.refresh()
        #expect(await fault(client, .unread, "message-1")?.code == .refused)
        #expect(await fault(client, .read, "message-2")?.code == .unknownMessage)
        #expect(try await states(client) == ["message-1": .unread])
        try await client.engine.messageCenter.setEnabled(false)
        #expect(await fault(client, .read, "message-1")?.code == .notEnabled)
        await client.waitUntilIdle()
        #expect(await !world.server.requests.contains { $0.name.hasSuffix("/state") })
        await world.kill()
    }

    @Test("MC-14: the state of a message that is gone on the server is given up, and the next ones are sent")
    func gone() async throws {
        let world = try World()
        let client = try await world.startCenters()
        for _ in 0..<2 { await world.server.keep(for: "anna") }
        try await client.engine.messageCenter.refresh()
        await world.server.changeInbox { $0.forget("message-1", of: "anna") }
        try await client.engine.messageCenter.setState(.read, of: "message-1")
        try await client.engine.messageCenter.setState(.read, of: "message-2")
        await client.waitUntilIdle()
        #expect(try await client.state().messageCenter.pendingStates == 0)
        #expect(await world.server.inbox.message("message-2", of: "anna")?.state == .read)
        await world.kill()
    }

    @Test("MC-14, ID-7: a former person's states are sent as theirs, after others have come and gone")
    func formerOwner() async throws {
        let world = try World()
        let client = try await world.startCenters()
        await world.server.keep(for: "anna")
        try await client.engine.messageCenter.refresh()
        await world.server.set(isOffline: true)
        try await client.engine.messageCenter.setState(.read, of: "message-1")
        try await client.logout()
        try await client.identify(contactKey: "bert")
        try await client.engine.messageCenter.setEnabled(false)
        await world.server.set(isOffline: false)
        let next = try await world.restart()
        try await next.networkReturns()
        await next.waitUntilIdle()
        #expect(await world.server.inbox.message("message-1", of: "anna")?.state == .read)
        #expect(try await next.state().messageCenter.pendingStates == 0)
        await world.kill()
    }

    @Test("MC-14: a state that changes while it is being sent is sent again")
    func changedUnderWay() async throws {
        let world = try World()
        let (client, gate) = try await world.startBehindGate()
        try await client.engine.messageCenter.setEnabled(true)
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        await world.server.keep(for: "anna")
        try await client.engine.messageCenter.refresh()
        await gate.shut()
        try await client.engine.messageCenter.setState(.read, of: "message-1")
        await gate.holdsOne()
        try await client.engine.messageCenter.setState(.deleted, of: "message-1")
        await gate.open()
        await client.waitUntilIdle()
        #expect(await world.server.inbox.message("message-1", of: "anna")?.state == .deleted)
        #expect(try await states(client).isEmpty)
        await client.stop()
    }

    @Test("MC-14: the number of waiting states is limited; the oldest are dropped")
    func bounded() async throws {
        let world = try World()
        let store = try world.make().recorder.storage.opened().store
        for number in 1...1_005 {
            var change = StoreChange()
            change.centers = [.setState(PendingMessageState(id: "m\(number)", state: .read, owner: 0))]
            try store.commit(change)
        }
        #expect(try store.pendingStates().count == MessageStateMerge.maximumPending)
        #expect(try store.nextPendingState()?.id == "m6")
        await world.kill()
    }
}

/// Several devices of one contact, which read and delete while some of them have no network.
struct MessageStatePropertyTests {
    @Test(
        "MC-14: in whatever order devices read and delete offline, the result is the same everywhere",
        arguments: Endurance.seeds(24, brief: 5))
    func convergence(seed: UInt64) async throws {
        let home = try await Household(3, contact: "anna", seed: seed)
        let chance = Chance(seed: seed)
        var expected: [String: MessageState] = [:]
        for number in 0..<60 {
            if number % 10 == 0 { expected[await home.world.server.keep(for: "anna")] = .unread }
            let device = Int(chance.next() % 3)
            let client = home.devices[device].client
            switch chance.next() % 8 {
            case 0: home.set(device, isOffline: true)
            case 1:
                home.set(device, isOffline: false)
                try await client.networkReturns()
            case 2: try? await client.engine.messageCenter.refresh()
            case 3: home.world.clock.advance(by: Double(chance.next() % 400))
            default:
                let here = try await client.engine.messageCenter.messages(in: "Primary").messages.map(\.id)
                guard !here.isEmpty else { continue }
                let id = here[Int(chance.next() % UInt64(here.count))]
                let state: MessageState = chance.unit() < 0.7 ? .read : .deleted
                do throws(MessageCenterError) {
                    try await client.engine.messageCenter.setState(state, of: id)
                    expected[id] = expected[id]?.joined(state)
                } catch {
                    // Deleted on another device, and a fetch that was under way has just said so here.
                    guard error.code == .unknownMessage, expected[id] == .deleted else { throw error }
                }
            }
            if chance.unit() < 0.5 { await client.waitUntilIdle() }
        }
        try await home.comeToRest()
        let visible = expected.filter { $0.value != .deleted }
        for device in home.devices {
            let messages = try await device.client.engine.messageCenter.messages(in: "Primary").messages
            let states = Dictionary(messages.map { ($0.id, $0.state) }, uniquingKeysWith: { $1 })
            #expect(states == visible)
            let unread = try await device.client.engine.messageCenter.unreadCount(in: nil)
            #expect(unread == visible.values.count { $0 == .unread })
        }
        let server = await home.world.server.inbox.messages["anna"] ?? []
        #expect(Dictionary(server.map { ($0.id, $0.state) }, uniquingKeysWith: { $1 }) == expected)
        await home.end()
    }
}
