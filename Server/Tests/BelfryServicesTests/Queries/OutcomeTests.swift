import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// What may become of a message, each in a sentence of its own (LED-2).
struct OutcomeTests {
    @Test("LED-2, LED-3: each result in one campaign has a different sentence")
    func everyOutcome() async throws {
        let story = try await OutcomeStory.reported()
        for outcome in ExpectedOutcome.all {
            let device = try ServiceWorld.client(outcome.number).rawValue
            let explanation = try await story.world.explainer.explain(story.campaign, device: device, app: story.app)
            #expect(explanation.state == outcome.state, "\(outcome.number)")
            #expect(explanation.reason == outcome.reason, "\(outcome.number)")
            #expect(explanation.sentence == outcome.sentence, "\(outcome.number)")
        }
        #expect(Set(ExpectedOutcome.all.map(\.sentence)).count == ExpectedOutcome.all.count)
        let counts = try await story.world.counts(story.campaign)
        #expect(counts.audience == ExpectedOutcome.all.count && counts.total == counts.audience && counts.pending == 0)
        for (state, count) in [
            ("accepted", counts.accepted), ("suppressed", counts.suppressed), ("rejected", counts.rejected),
        ] {
            #expect(ExpectedOutcome.all.count { $0.state == state } == count, "\(state)")
        }
    }

    @Test("LED-2: a device's history has every campaign that had it in its audience, the newest first, in pages")
    func messages() async throws {
        let story = try await OutcomeStory.reported()
        let explainer = story.world.explainer
        func page(_ number: Int, before cursor: Int64? = nil, limit: Int = 10) async throws -> [DeviceMessage] {
            try await explainer.messages(
                of: ServiceWorld.client(number).rawValue, app: story.app, before: cursor, limit: limit
            )
        }
        let all = try await page(14)
        #expect(all.map(\.campaign.id) == [story.campaign, story.earlier])
        #expect(all.map(\.explanation.reason) == ["frequencyCap", nil])
        for message in all {
            let explained = try await explainer.explain(
                message.campaign.id, device: ServiceWorld.client(14).rawValue, app: story.app
            )
            #expect(message.explanation == explained)
        }
        #expect(try await page(14, limit: 1) == [all[0]])
        #expect(try await page(14, before: story.campaign.number) == [all[1]])
        #expect(try await page(14, before: story.earlier.number) == [])
        // A device outside the earlier campaign's audience learns nothing about it.
        #expect(try await page(1).map(\.campaign.id) == [story.campaign])
    }

    @Test("LED-2: every word of the ledger has a sentence, even those that are no longer used")
    func otherWords() async throws {
        let sentences: [(state: DeliveryState, reason: DeliveryReason, sentence: String)] = [
            (.suppressed, .expired, "It was not sent: the message had expired before it could be sent."),
            (.suppressed, .erased, "It was not sent: the person was erased."),
            (
                .suppressed, .optedOut(.providerAuthentication),
                "It was not sent: the push service had rejected the app's credentials."
            ),
            (.suppressed, DeliveryReason(rawValue: "controlGroup"), "It was not sent: controlGroup."),
            (
                .rejected, .malformedToken,
                "It was not sent: the device's push token is not valid for its push service."
            ),
            (.rejected, .contentNotEncodable, "It was not sent: its content cannot be rendered."),
            (
                .cancelled, .campaignCancelled, "The campaign was cancelled before it was sent to this device."
            ),
        ]
        let world = try await ServiceWorld()
        let clients = try await world.makeFleet(sentences.count)
        let id = try await world.launch()
        while try await world.planner.planNext() {}
        let (app, now) = (world.app.id, world.clock.now)
        for (client, word) in zip(clients, sentences) {
            try await world.database.write { connection in
                let device = try #require(try connection.devices.find(app: app, client: client))
                let update = DeliveryUpdate(device: device.id, state: word.state, reason: word.reason, attempts: 1)
                try connection.deliveries.record([update], campaign: id, now: now)
            }
            let explanation = try await world.explainer.explain(id, device: client.rawValue, app: world.app)
            #expect(explanation.sentence == word.sentence)
            #expect(explanation.reason == word.reason.rawValue)
        }
    }

    @Test("LED-2, REG-36: nothing is shown for an erased device")
    func erased() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        let id = try await world.launch()
        while try await world.planner.planNext() {}
        _ = try await world.contacts.erase("anna", app: world.app)
        #expect(try await world.counts(id).suppressed == 1)
        let client = device.client.rawValue
        #expect(
            await errorCode { try await world.explainer.explain(id, device: client, app: world.app) } == "notFound"
        )
        let code = await errorCode {
            try await world.explainer.messages(of: client, app: world.app, before: nil, limit: 10)
        }
        #expect(code == "notFound")
    }

    @Test("LED-2, CAMP-5: a scheduled campaign says when it begins; its history has a recipient's own time")
    func ownTime() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        try await device.register {
            $0.pushToken = "token1"
            $0.timeZone = "Europe/Paris"
        }
        try await world.process()
        let client = device.client.rawValue
        let local = try #require(LocalDateTime("2026-12-01T09:00:00"))
        let id = try await world.launch(schedule: CampaignSchedule(localAt: local))
        let scheduled = try await world.explainer.explain(id, device: client, app: world.app)
        #expect(scheduled.state == "notInAudience")
        // When the first clock of the world shows it.
        #expect(
            scheduled.sentence
                == "The campaign starts at 2026-11-30T19:00:00.000Z. Its audience is selected then."
        )
        #expect(try await world.campaign(id).scheduledAt == Timestamp.date("2026-11-30T19:00:00Z"))

        let due = try #require(Timestamp.date("2026-12-01T08:00:00Z"))
        try await world.send(until: due.addingTimeInterval(-60))
        let waiting = try await world.explainer.explain(id, device: client, app: world.app)
        let clock = "2026-12-01T09:00:00 in Europe/Paris, the device's zone"
        #expect(waiting.sentence == "It is waiting until \(clock).")
        #expect(waiting.history.map(\.what) == ["launched", "pending", "due"])
        #expect(waiting.history.last?.at == due && waiting.history.last?.detail == clock)
        #expect(try await world.campaign(id).scheduledAt == nil)

        try await world.send(until: due)
        let sent = try await world.explainer.explain(id, device: client, app: world.app)
        #expect(sent.history.map(\.what) == ["launched", "due", "accepted"])
    }

    @Test("LED-2: pending says what it waits for: a retry, after each kind of failure, or its first turn")
    func waiting() async throws {
        let world = try await ServiceWorld()
        let clients = try await world.makeFleet(3)
        world.transport.answer("token1", .silence, .accepted)
        world.transport.answer("token2", .unsent, .accepted)
        world.transport.answer("token3", .serverError, .accepted)
        let id = try await world.launch()
        try await world.send(until: world.clock.now)
        let sentences = [
            "It was tried once and will be retried; the last time the push service did not respond (timeout).",
            "It has not been sent yet and will be retried; the last time it could not be sent (no connection).",
            "It was tried once and will be retried; the last response was 'InternalServerError'.",
        ]
        for (client, sentence) in zip(clients, sentences) {
            let explanation = try await world.explainer.explain(id, device: client.rawValue, app: world.app)
            #expect(explanation.state == "pending" && explanation.sentence == sentence)
        }
        try await world.sendToTheEnd()
        // One leaves at once, the others when the rate lets them.
        let slow = try await world.launch(schedule: CampaignSchedule(ratePerSecond: 1))
        try await world.send(until: world.clock.now)
        let pending = "It has not been sent yet."
        for (client, sentence) in zip(
            clients, ["The push service accepted it; the device has not reported it.", pending, pending])
        {
            let explanation = try await world.explainer.explain(slow, device: client.rawValue, app: world.app)
            #expect(explanation.sentence == sentence)
        }
    }

    @Test("LED-2, CAMP-7: a test message has its own sentences, because it is not retried")
    func testMessages() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(5)
        world.transport.answer("token2", .badDeviceToken)
        world.transport.answer("token3", .invalidProviderToken)
        world.transport.answer("token4", .silence)
        world.transport.answer("token5", .unsent)
        let id = try await world.campaigns.drafts.create(ServiceWorld.draft(), app: world.app).id
        let names = try (1...5).map { try ServiceWorld.client($0).rawValue }
        let results = try await world.campaigns.tests.test(id, devices: names, app: world.app)
        let sentences = Dictionary(uniqueKeysWithValues: results.map { ($0.device, $0.sentence) })
        #expect(
            names.map { sentences[$0] } == [
                "The push service accepted it.",
                "It was sent, but the push service rejected it: 'BadDeviceToken'. \(RejectedToken.malformed.sentence)",
                "It was sent, and the push service responded 'InvalidProviderToken'; a test send is not retried.",
                "It was sent, but the push service did not respond (timeout); a test send is not retried.",
                "It could not be sent (no connection); a test send is not retried.",
            ]
        )
    }
}
