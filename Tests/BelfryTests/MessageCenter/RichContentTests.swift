import BelfryModel
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// Rich content is served until it is confirmed, and never lost (MC-9, WIRE-11).
struct RichContentTests {
    private let html = "<p>rich</p>"

    private func started() async throws -> (world: World, client: BelfryClient, id: String) {
        let world = try World()
        let client = try await world.startCenters()
        let id = await world.server.keep(for: "anna", html: html)
        try await client.engine.messageCenter.refresh()
        return (world, client, id)
    }

    private func fault(_ client: BelfryClient, _ id: String) async -> MessageCenterError? {
        await thrownCenterError { () async throws(MessageCenterError) in
            _ = try await client.engine.messageCenter.richContent(for: id)
        }
    }

    @Test("MC-9: fetched once, then served from the device, without a network and after a relaunch")
    func once() async throws {
        let (world, client, id) = try await started()
        for _ in 0..<3 {
            #expect(try await client.engine.messageCenter.richContent(for: id) == html)
        }
        #expect(await world.server.count(FakeServer.richContent(of: id)) == 1)
        await world.server.set(isOffline: true)
        let next = try await world.restart()
        #expect(try await next.engine.messageCenter.richContent(for: id) == html)
        #expect(try await next.engine.messageCenter.messages(in: "Primary").messages.first?.richHTML == html)
        await world.kill()
    }

    private func confirmations(_ world: World, _ id: String) async -> [String] {
        await world.server.requests.map(\.name)
            .filter { [FakeServer.confirmation(of: id), FakeServer.withdrawal(of: id)].contains($0) }
    }

    @Test("MC-9: it is confirmed once it is stored, after an outage of ten days and a kill as well")
    func confirmed() async throws {
        let (world, client, id) = try await started()
        let device = try await world.state.id.rawValue
        await world.server.script(FakeServer.confirmation(of: id), .lost, .answerLost)
        #expect(try await client.engine.messageCenter.richContent(for: id) == html)
        await client.waitUntilIdle()
        await world.server.set(isOffline: true)
        // Less than the retention of a message, after which its content is removed and withdrawn (MC-7).
        for _ in 0..<10 { try await world.advance(by: 86_400) }
        await world.server.set(isOffline: false)
        let next = try await world.restart()
        await next.waitUntilIdle()
        // It is tried daily by now (EVT-5).
        for _ in 0..<4 { try await world.advance(by: 43_200) }
        #expect(await world.server.inbox.isConfirmed(id, by: device))
        let count = await confirmations(world, id).count
        #expect(count >= 2)
        try await world.advance(by: 86_400)
        #expect(await confirmations(world, id).count == count)
        await world.kill()
    }

    @Test("MC-9: what turning the center off has removed is withdrawn and fetched again, also after a kill in between")
    func turnedOff() async throws {
        for isKilled in [false, true] {
            let (world, client, id) = try await started()
            let device = try await world.state.id.rawValue
            #expect(try await client.engine.messageCenter.richContent(for: id) == html)
            await client.waitUntilIdle()
            #expect(await world.server.inbox.isConfirmed(id, by: device))
            await world.server.set(isOffline: true)
            try await client.engine.messageCenter.setEnabled(false)
            await client.waitUntilIdle()
            await world.server.set(isOffline: false)
            let next = isKilled ? try await world.restart() : client
            try await next.engine.messageCenter.setEnabled(true)
            // At once, before the withdrawal has its turn.
            #expect(try await next.engine.messageCenter.richContent(for: id) == html)
            await next.waitUntilIdle()
            #expect(await world.server.inbox.isConfirmed(id, by: device))
            await world.kill()
        }
    }

    @Test("MC-9, MC-7: what the retention has removed while the message lives on is withdrawn and fetched again")
    func retention() async throws {
        let (world, client, id) = try await started()
        let device = try await world.state.id.rawValue
        #expect(try await client.engine.messageCenter.richContent(for: id) == html)
        await client.waitUntilIdle()
        await world.server.set(isOffline: true)
        try await world.advance(by: 16 * 86_400)
        #expect(try client.recorder.storage.opened().store.richContent(of: id, now: .distantPast) == nil)
        await world.server.set(isOffline: false)
        let next = try await world.restart()
        await next.waitUntilIdle()
        #expect(await !world.server.inbox.isConfirmed(id, by: device))
        #expect(try await next.engine.messageCenter.richContent(for: id) == html)
        await world.kill()
    }

    @Test("MC-9: concurrent calls share one request")
    func together() async throws {
        let (world, client, id) = try await started()
        let responses = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<8 {
                group.addTask { try? await client.engine.messageCenter.richContent(for: id) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(responses == Array(repeating: html, count: 8))
        #expect(await world.server.count(FakeServer.richContent(of: id)) == 1)
        await world.kill()
    }

    @Test("MC-9, WIRE-11: after a lost response the same key is sent again and gets the content")
    func lostAnswer() async throws {
        let (world, client, id) = try await started()
        await world.server.script(FakeServer.richContent(of: id), .answerLost, .lost)
        for _ in 0..<2 {
            #expect(await fault(client, id)?.code == .noNetwork)
        }
        let next = try await world.restart()
        await next.waitUntilIdle()
        #expect(try await next.engine.messageCenter.richContent(for: id) == html)
        let keys = await world.server.requests.filter { $0.name == FakeServer.richContent(of: id) }
            .map { $0.headers[HeaderNames.idempotencyKey] }
        #expect(keys.count == 3 && Set(keys).count == 1 && keys[0]?.isEmpty == false)
        await world.kill()
    }

    @Test(
        "MC-9: the device dies before and after every write of a request, and a repetition succeeds",
        arguments: Mortality.Instant.allCases)
    func crash(instant: Mortality.Instant) async throws {
        for offset in 1...6 {
            let (world, client, id) = try await started()
            world.mortality.doom(write: world.mortality.writes.count + offset, instant)
            let first = try? await client.engine.messageCenter.richContent(for: id)
            if let first { #expect(first == html) }
            await world.kill()
            world.mortality.revive()
            let next = try await world.start()
            await next.waitUntilIdle()
            #expect(try await next.engine.messageCenter.richContent(for: id) == html, "\(instant) \(offset)")
            await world.kill()
        }
    }

    @Test(
        "MC-9: content that the server takes for stored, and the device does not have, is withdrawn and fetched again")
    func heals() async throws {
        let (world, client, id) = try await started()
        let device = try await world.state.id.rawValue
        await world.server.changeInbox { $0.confirm(id, isStored: true, by: device) }
        #expect(try await client.engine.messageCenter.richContent(for: id) == html)
        #expect(await confirmations(world, id).first == FakeServer.withdrawal(of: id))
        await client.waitUntilIdle()
        #expect(await world.server.inbox.isConfirmed(id, by: device))
        await world.kill()
    }

    @Test("MC-9, MC-10: an earlier server's refusal, an unknown message, and no rich content are typed errors")
    func rejected() async throws {
        let (world, client, id) = try await started()
        let device = try await world.state.id.rawValue
        await world.server.changeInbox {
            $0.isEarlier = true
            $0.confirm(id, isStored: true, by: device)
        }
        #expect(await fault(client, id)?.numericCode == 410)
        let plain = await world.server.keep(for: "anna")
        let berts = await world.server.keep(for: "bert", html: html)
        for unknown in [plain, berts, "nonsense/../x?y", "", String(repeating: "x", count: 200)] {
            #expect(await fault(client, unknown)?.code == .unknownMessage, "\(unknown)")
        }
        await world.server.script(
            FakeServer.richContent(of: plain), .answer(TransportResponse(status: 200)),
            .answer(TransportResponse(status: 200, body: Data("<p>".utf8)))
        )
        #expect(await fault(client, plain)?.numericCode == 5_005)
        #expect(await fault(client, plain)?.numericCode == 5_004)
        await world.kill()
    }

    @Test(
        "MC-9, MC-14: another device of the contact gets it itself; a deleted message's is removed from the device"
    )
    func others() async throws {
        let home = try await Household(2, contact: "anna", seed: 1)
        let id = await home.world.server.keep(for: "anna", html: html)
        for device in home.devices {
            try await device.client.engine.messageCenter.refresh()
            #expect(try await device.client.engine.messageCenter.richContent(for: id) == html)
        }
        let first = home.devices[0].client
        home.set(0, isOffline: true)
        try await first.engine.messageCenter.setState(.deleted, of: id)
        #expect(await fault(first, id)?.code == .unknownMessage)
        let store = try first.recorder.storage.opened().store
        #expect(try store.richContent(of: id, now: .distantPast) == nil)
        await home.end()
    }
}
