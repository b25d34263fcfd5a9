import BelfryModel
import BelfryServices
import BelfryWire
import Testing
import V3Client

@Suite("Events of a v3 client")
struct V3EventTests {
    /// An attribute that makes hundreds of events a large body, with what JSON must escape.
    private static let note = String(repeating: "é😀 \"a/b\\c\"\n", count: 12) + "."

    @Test(
        "WIRE-6, EVT-4: hundreds of events in one body are stored, and the bad ones reported",
        .timeLimit(.minutes(10)), arguments: V3Flavour.allCases, ["v3", "v4"]
    )
    func batch(flavour: V3Flavour, version: String) async throws {
        try await withShop { server, admin in
            let device = try V3Device.installed(flavour, at: server) {
                $0.usesEventServiceV4 = version == "v4"
                $0.isOnVendorHost = true
            }
            await device.start()
            await device.goOffline()
            let bad = Self.badEvents
            for (number, event) in bad.enumerated() {
                for place in 0..<50 {
                    await device.track("viewed", ["number": "\(number * 50 + place)", "note": Self.note])
                }
                await device.track(raw: event)
            }
            let calls = await device.calls { await $0.goOnline() }
            #expect(calls.map(\.line) == ["POST /\(version)/apps/shop/client/events"])
            #expect(calls.map(\.status) == [200])
            let call = try #require(calls.first)
            #expect((call.request.body?.count ?? 0) > 65_536)
            let rejected = call.answer?.json?["rejected"]?.items ?? []
            let indices = bad.indices.map { JSON.integer(Int64($0 * 51 + 50)) }
            #expect(rejected.compactMap { $0["index"] } == indices)
            #expect(await device.store.queue.count == 0)

            let stored = try await admin.events(of: device.id).filter { ["viewed", "bad"].contains($0.name) }
            #expect(stored.count == bad.count * 50)
            let attributes = Set(stored.map(\.attributes))
            let expected = (0..<bad.count * 50).map { number -> [String: AttributeValue] in
                ["number": .string("\(number)"), "note": .string(Self.note)]
            }
            #expect(attributes == Set(expected))
            #expect(await device.complaints == [])
        }
    }

    /// The first is what the page of an in-app message can make of an event on iOS.
    private static var badEvents: [JSON] {
        let good: JSON = ["type": "custom", "name": "bad", "timestamp": "2026-11-21T12:00:00.123Z"]
        let many = (0...EventLimits.maximumAttributes).map { ("a\($0)", JSON.text("x")) }
        return [
            good.with("attributes", ["payload": ["nested": "value"]]), good.with("attributes", ["list": ["a"]]),
            good.with("name", "  "), good.with("name", .text(String(repeating: "x", count: 129))),
            good.with("type", "weird"), good.with("timestamp", "yesterday"),
            good.with("attributes", .object(Dictionary(uniqueKeysWithValues: many))), "no event at all",
        ]
    }

    @Test(
        "WIRE-6, WIRE-25, EVT-3: after a lost response a batch is sent again with more; each event is stored once",
        .timeLimit(.minutes(10)), arguments: V3Flavour.allCases
    )
    func repeated(flavour: V3Flavour) async throws {
        try await withShop { server, admin in
            let wire = LosingWire(try server.v3Wire())
            let device = try V3Device.installed(flavour, at: server, over: wire) { $0.isOnVendorHost = true }
            await device.start()
            await device.goOffline()
            for number in 0..<300 { await device.track("viewed", ["number": "\(number)"]) }
            await wire.lose(2)
            let calls = await device.calls {
                await $0.goOnline()
                await $0.track("viewed", ["number": "300"])
                await $0.track("viewed", ["number": "301"])
            }
            #expect(calls.map(\.status) == [nil, nil, 204])
            #expect(calls.map(\.events.count) == [300, 301, 302])
            let stored = try await admin.events(of: device.id).filter { $0.name == "viewed" }
            #expect(stored.count == 302)
            #expect(Set(stored.map(\.attributes)).count == 302)
            #expect(await device.complaints == [])
        }
    }

    @Test(
        "WIRE-6: v3 names the campaigns whose rows the client may forget", .timeLimit(.minutes(10)),
        arguments: V3Flavour.allCases
    )
    func oldCampaigns(flavour: V3Flavour) async throws {
        try await withShop { server, admin in
            let device = try V3Device.installed(flavour, at: server) {
                $0.usesEventServiceV4 = false
                $0.isOnVendorHost = true
            }
            await device.start()
            let answer = try #require(try await meetCampaigns(device).answer)
            #expect(answer.status == 200)
            let named = answer.json?["oldCampaigns"]?.items?.compactMap(\.string) ?? []
            #expect(Set(named) == ["c1", "c2"])
            try await expectForgotten(device, admin)
        }
    }

    @Test(
        "WIRE-6: v4 accepts the rows with its 2xx, and returns deviceEventState unchanged",
        .timeLimit(.minutes(10)), arguments: V3Flavour.allCases
    )
    func deviceEventState(flavour: V3Flavour) async throws {
        // State of another server, opaque to both client and server.
        let state: JSON = [
            "campaignStats": ["123": ["views": 1, "lastViewAt": "2024-05-01T10:20:30Z", "clicks": 0]],
            "contactStats": [:], "odd": [1, 2.5, "é\"\\/😀", true, [], .integer(9_007_199_254_740_993)],
        ]
        try await withShop { server, admin in
            let device = try V3Device.installed(flavour, at: server) { $0.isOnVendorHost = true }
            await device.start()
            #expect(try await meetCampaigns(device).status == 204)
            try await expectForgotten(device, admin)

            await device.tamper { store, _ in store.deviceEventState = state }
            for _ in 0..<2 {
                let calls = await device.calls { await $0.track("viewed") }
                #expect(calls.map(\.status) == [200])
                #expect(calls.first?.request.json?["deviceEventState"] == state)
                #expect(calls.first?.answer?.json?["deviceEventState"] == state)
            }
            #expect(await device.complaints == [])
        }
    }

    /// Two messages were seen, a button of one was pressed; all leaves in one call.
    private func meetCampaigns(_ device: V3Device) async throws -> V3Exchange {
        await device.goOffline()
        await device.show(campaign: "c1")
        await device.show(campaign: "c2")
        await device.press("b1", campaign: "c1")
        let calls = await device.calls { await $0.goOnline() }
        let call = try #require(calls.first)
        #expect(calls.count == 1)
        #expect(call.request.json?["viewedMessages"]?.items?.count == 2)
        #expect(call.request.json?["clicks"]?.items?.count == 1)
        return call
    }

    private func expectForgotten(_ device: V3Device, _ admin: AdminCaller) async throws {
        let next = await device.calls { await $0.track("after") }
        #expect(next.first?.request.json?["viewedMessages"] == .list([]))
        #expect(next.first?.request.json?["clicks"] == .list([]))
        #expect(next.map(\.status) == [204])
        let names = try await admin.events(of: device.id).map(\.name).filter { $0.hasPrefix("inapp:") }
        #expect(names.sorted() == ["inapp:click", "inapp:viewed", "inapp:viewed"])
        #expect(await device.complaints == [])
    }

    @Test(
        "WIRE-6: an app that paused its messages gets none, and its events are stored", .timeLimit(.minutes(10)),
        arguments: V3Flavour.allCases
    )
    func pausedInApp(flavour: V3Flavour) async throws {
        try await withShop { server, admin in
            let device = try V3Device.installed(flavour, at: server) { $0.isOnVendorHost = true }
            await device.start()
            await device.pauseInApp()
            let paused = await device.calls { await $0.track("paused") }
            #expect(paused.first?.request.json?["dnd"] == .flag(true))
            #expect(paused.first?.answer?.json?["message"] == nil)
            await device.resumeInApp()
            let resumed = await device.calls { await $0.track("resumed") }
            #expect(resumed.first?.request.json?["dnd"] == nil)
            let names = Set(try await admin.events(of: device.id).map(\.name))
            #expect(names.isSuperset(of: ["paused", "resumed"]))
            #expect(await device.complaints == [])
        }
    }

    @Test(
        "WIRE-29: what of v3 is not served responds with what the clients take for none, and the queue continues",
        .timeLimit(.minutes(10)), arguments: V3Flavour.allCases
    )
    func notServed(flavour: V3Flavour) async throws {
        try await withShop { server, _ in
            let device = try V3Device.installed(flavour, at: server)
            await device.start()
            let calls = await device.calls { device in
                #expect(await device.fetchGeofences() == .accepted(200))
                #expect(await device.recommendProducts() == .accepted(200))
                #expect(await device.trackDeepLink(id: "1_2_3") == .accepted(204))
                // Nobody but the vendor could sign one; without one the client keeps the addresses of its build.
                #expect(await device.fetchRemoteConfig() == .dropped(404))
            }
            #expect(calls.first?.answer?.json == ["refreshRadiusRatio": 0.3, "groups": []])
            #expect(calls.dropFirst().first?.answer?.json?["features"] == [:])
            #expect(calls.last?.answer?.json?["error"]?["code"]?.string == ErrorCode.notFound)
            #expect(await device.track("viewed") == .accepted(204))
            #expect(await device.complaints == [])
        }
    }

    @Test(
        "WIRE-6, SEC-9: off its vendor's host iOS sends each event alone, and a backlog of thousands is not held up",
        .timeLimit(.minutes(10))
    )
    func backlog() async throws {
        // A server with the rates that it has by itself, for this machine, too.
        try await withStage { stage in
            let rates = ["--rate-limit", "\(RequestRates.standardPerDevice)"]
            try await stage.withServer(options: rates) { server in
                let admin = stage.admin(server)
                try await admin.createApp()
                let device = try V3Device.installed(.ios, at: server)
                await device.start()
                await device.goOffline()
                for number in 0..<2_000 { await device.track("viewed", ["number": "\(number)"]) }
                let calls = await device.calls {
                    await $0.goOnline()
                    await $0.setContact("user-4711")
                }
                #expect(calls.count(where: { $0.events == ["viewed"] }) == 2_000)
                #expect(calls.allSatisfy { ($0.status ?? 0) / 100 == 2 })
                #expect(await device.store.queue.count == 0)
                #expect(try await admin.device(device.id).contactKey == "user-4711")
                #expect(try await admin.events(of: device.id).count { $0.name == "viewed" } == 2_000)
                #expect(await device.complaints == [])
            }
        }
    }

    @Test(
        "WIRE-6: off its vendor's host iOS neither says that messages are paused nor what was seen",
        .timeLimit(.minutes(10)))
    func elsewhere() async throws {
        try await withShop { server, admin in
            let device = try V3Device.installed(.ios, at: server)
            await device.start()
            await device.pauseInApp()
            await device.goOffline()
            await device.show(campaign: "c1")
            await device.track("viewed")
            let calls = await device.calls { await $0.goOnline() }
            #expect(calls.map(\.events) == [["inapp:viewed"], ["viewed"]])
            #expect(calls.allSatisfy { $0.request.json?["dnd"] == nil && $0.request.json?["viewedMessages"] == [] })
            #expect(try await admin.events(of: device.id).count == 3)
            #expect(await device.complaints == [])
        }
    }
}
